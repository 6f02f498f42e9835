"""Explains a verdict: what settles a dispute between players.

Every fact comes from the views that the verdict itself comes from; nothing is judged here.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

from nwol_sql.errors import QueryError, checked_text

if TYPE_CHECKING:
    from nwol_sql.campaign import Campaign


# The words of an explanation, said once for the command and for the map's page alike.
PHRASES = {
    "headline": "{square} (x={x}, y={y}) {where}, turn {turn}: {verdict}",
    "in_nation": "in {nation}",
    "in_no_nation": "in no nation",
    "owned_by": "owned by {owner}",
    "clause": ", rule {rule}",
    "outside": "The square lies outside all nations, so nobody owns it.",
    "nearest": "Nearest cities of the nation",
    "city": "  {city}: {distance}, {held}",
    "distance": "distance {distance} (squared {squared})",
    "held_by": "held by {holder} ({side}) since turn {since}",
    "held_by_nobody": "held by nobody",
    "national": "national",
    "foreign": "foreign",
    "next": "  next: {city}, {distance}, {farther} farther",
    "no_next": "  the nation has no other city",
    "uncounted": "Cities of other nations as near or nearer, which do not count (rule 4)",
    "uncounted_city": "  {city} ({nation}): {distance}",
    "alliances": "Alliances looked at",
    "alliance": "  {state_a} and {state_b}: {stands}",
    "allied": "allied",
    "not_allied": "not allied",
    "no_alliances": "  none: the verdict does not depend on any",
    "deployment": "May deploy in peacetime",
    "may_deploy": "  {state}: {reason}",
    "owner": "owns the square",
    "sharer": "national side that shares the square",
    "ally": "allied with {hosts}",
    "nobody": "  nobody",
    "rulings": "Rulings of this campaign (ruleset {ruleset})",
    "ruling": "  {ruling} = {value}",
    "changed_ruling": " (the ruleset says {value})",
}


@dataclass(frozen=True)
class TiedCity:
    """A city at the shortest distance, who holds it (None: nobody) and since which turn."""

    city: str
    squared_distance: int
    holder: str | None
    since: int | None
    is_national: bool


@dataclass(frozen=True)
class Alliance:
    """A pair of sides whose alliance the verdict depends on, and whether it stands."""

    state_a: str
    state_b: str
    is_allied: bool


@dataclass(frozen=True)
class OtherCity:
    """A city that does not decide: the runner-up, or one of another nation."""

    city: str
    nation: str
    squared_distance: int


@dataclass(frozen=True)
class Deployment:
    """A state that may deploy on the square in peacetime, and why: owner, sharer or ally."""

    state: str
    basis: str


@dataclass(frozen=True)
class Explanation:
    """A square's verdict and all that it rests on. `str()` gives it in plain words."""

    turn: int
    square: str
    x: int
    y: int
    nation: str | None
    terrain: str | None
    status: str
    owner: str | None
    rule: str | None
    summary: str | None
    cities: list[TiedCity]
    alliances: list[Alliance]
    runners_up: list[OtherCity]
    uncounted: list[OtherCity]
    deployment: list[Deployment]
    ruleset: str
    rulings: dict[str, tuple[str, str]]

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        say = PHRASES
        where = say["in_nation"].format(nation=self.nation) if self.nation else say["in_no_nation"]
        verdict = say["owned_by"].format(owner=self.owner) if self.owner else self.status
        clause = say["clause"].format(rule=self.rule) if self.rule else ""
        lines = [
            say["headline"].format(
                square=self.square, x=self.x, y=self.y, where=where, turn=self.turn, verdict=verdict
            )
            + clause,
            self.summary or say["outside"],
        ]
        if self.cities:
            lines += ["", say["nearest"]]
            for city in self.cities:
                distance = _far(city.squared_distance)
                lines.append(
                    say["city"].format(city=city.city, distance=distance, held=_held(city))
                )
            for other in self.runners_up:
                farther = sqrt(other.squared_distance) - sqrt(self.cities[0].squared_distance)
                lines.append(
                    say["next"].format(
                        city=other.city,
                        distance=_far(other.squared_distance),
                        farther=f"{farther:.2f}",
                    )
                )
            if not self.runners_up:
                lines.append(say["no_next"])
        if self.uncounted:
            lines += ["", say["uncounted"]]
            for other in self.uncounted:
                distance = _far(other.squared_distance)
                lines.append(
                    say["uncounted_city"].format(
                        city=other.city, nation=other.nation, distance=distance
                    )
                )
        if len({city.holder for city in self.cities}) > 1:
            lines += ["", say["alliances"]]
            for pair in self.alliances:
                stands = say["allied"] if pair.is_allied else say["not_allied"]
                lines.append(
                    say["alliance"].format(
                        state_a=pair.state_a, state_b=pair.state_b, stands=stands
                    )
                )
            if not self.alliances:
                lines.append(say["no_alliances"])
        lines += ["", say["deployment"]]
        sharers = ", ".join(entry.state for entry in self.deployment if entry.basis == "sharer")
        for entry in self.deployment:
            reason = say[entry.basis].format(hosts=sharers or self.owner)
            lines.append(say["may_deploy"].format(state=entry.state, reason=reason))
        if not self.deployment:
            lines.append(say["nobody"])
        lines += ["", say["rulings"].format(ruleset=self.ruleset)]
        for name, (value, ruleset_value) in self.rulings.items():
            text = say["ruling"].format(ruling=name, value=value)
            if value != ruleset_value:
                text += say["changed_ruling"].format(value=ruleset_value)
            lines.append(text)
        return lines


def explain(campaign: Campaign, square: str) -> Explanation:
    """Return the explanation of a square's verdict at the campaign's latest turn.

    Raises QueryError for an unknown square.
    """
    con = campaign.connection

    def rows(query: str, *params: object) -> list[tuple[Any, ...]]:
        return con.execute(query, list(params)).fetchall()

    name = square_name(campaign, square)
    ((turn,),) = rows("select turn from latest_turn")
    ((x, y, nation, terrain, status, owner, rule, summary, tied_cities),) = rows(
        """
        select x, y, nation, terrain, ownership.status, owner, rule, summary, tied_cities
        from ownership left join rules using (rule)
        where square = $1
        """,
        name,
    )
    cities = rows(
        """
        select nearest.city, nearest.squared_distance, holders.state, holders.since,
            coalesce(sides.is_national, false)
        from nearest_cities as nearest
        inner join square_tie_groups as groups on nearest.square = groups.square
        left join city_holders as holders on holders.city = nearest.city and holders.turn = $2
        left join tie_group_sides as sides
            on sides.tie_group = groups.tie_group and sides.turn = $2 and sides.state = holders.state
        where nearest.square = $1
        order by nearest.city
        """,
        name,
        turn,
    )
    alliances = rows(
        """
        select pairs.state_a, pairs.state_b, pairs.is_allied
        from tie_group_side_pairs as pairs
        inner join square_tie_groups as groups on pairs.tie_group = groups.tie_group
        where groups.square = $1 and pairs.turn = $2 and pairs.is_needed
        order by pairs.state_a, pairs.state_b
        """,
        name,
        turn,
    )
    runners_up = rows(
        """
        select ranks.city, nation, squared_distance
        from city_ranks as ranks inner join city_places on ranks.city = city_places.city
        where ranks.square = $1 and rank > 1
        qualify rank() over (order by rank) = 1
        order by ranks.city
        """,
        name,
    )
    uncounted = rows(
        """
        select city, nation, squared_distance from uncounted_cities
        where square = $1 order by squared_distance, city
        """,
        name,
    )
    deployment = rows(
        """
        select state, basis from deployment where square = $1
        order by case basis when 'owner' then 1 when 'sharer' then 2 else 3 end, state
        """,
        name,
    )
    rulings = rows("select ruling, value, ruleset_value, ruleset from rulings")
    # A unitary nation's cities, and all cities where a nation has none, have no part in the verdict.
    is_looked_at = bool(tied_cities)
    return Explanation(
        turn=turn,
        square=name,
        x=x,
        y=y,
        nation=nation,
        terrain=terrain,
        status=status,
        owner=owner,
        rule=rule,
        summary=summary,
        cities=[TiedCity(*row) for row in cities] if is_looked_at else [],
        alliances=[Alliance(*row) for row in alliances] if is_looked_at else [],
        runners_up=[OtherCity(*row) for row in runners_up] if is_looked_at else [],
        uncounted=[OtherCity(*row) for row in uncounted] if is_looked_at else [],
        deployment=[Deployment(*row) for row in deployment],
        ruleset=rulings[0][3],
        rulings={ruling: (value, default) for ruling, value, default, _ in rulings},
    )


def square_name(campaign: Campaign, text: str) -> str:
    """Return a square's proper name from its name in any case, or from "x,y"."""
    con = campaign.connection
    checked_text("a square's name", text)
    found = con.execute(
        """
        select square from squares
        where upper(square) = upper(replace($1, ' ', ''))
            or cast(x as varchar) || ',' || cast(y as varchar) = replace($1, ' ', '')
        order by square
        """,
        [text],
    ).fetchall()
    if found:
        return str(found[0][0])
    guesses = con.execute(
        "select square from squares order by damerau_levenshtein(upper(square), upper($1)), square "
        "limit 1",
        [text.strip()],
    ).fetchall()
    hint = f"; nearest: {guesses[0][0]!r}" if guesses else ", which has no squares"
    raise QueryError(f"there is no square {text!r} in this campaign{hint}")


def _far(squared_distance: int) -> str:
    return PHRASES["distance"].format(
        distance=f"{sqrt(squared_distance):.2f}", squared=squared_distance
    )


def _held(city: TiedCity) -> str:
    if city.holder is None:
        return PHRASES["held_by_nobody"]
    side = PHRASES["national" if city.is_national else "foreign"]
    return PHRASES["held_by"].format(holder=city.holder, side=side, since=city.since)
