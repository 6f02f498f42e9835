"""`python -m nwol_sql`: the same as the command `nwol-sql`."""

from nwol_sql.cli import main

if __name__ == "__main__":
    main()
