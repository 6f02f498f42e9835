// A square's verdict in the words of `nwol-sql explain`: the phrases are the program's own, and every
// line here is a line there.

// Fill a phrase's {names} with values. Names and codes stand apart from the text around them, so
// that one written from right to left does not turn it about.
function filled(phrase, values = {}) {
  const parts = document.createDocumentFragment();
  phrase.split(/\{(\w+)\}/).forEach((part, place) => {
    if (place % 2 === 0) {
      if (part) parts.append(part);
    } else if (values[part] instanceof Node) {
      parts.append(values[part]);
    } else {
      const apart = document.createElement("bdi");
      apart.textContent = String(values[part]);
      parts.append(apart);
    }
  });
  return parts;
}

// A place's distance, as explain writes it: square roots are shown, whole numbers are compared.
function far(phrases, squared) {
  return filled(phrases.distance, { distance: Math.sqrt(Number(squared)).toFixed(2), squared });
}

// What there is to say of a square in a turn: a headline, a summary, and sections of lines.
function explanation(campaign, phrases, turn, square) {
  const say = (name, values) => filled(phrases[name], values);
  const { squares } = campaign;
  const entry = campaign.turns[turn];
  const group = campaign.group[square];
  const verdict = campaign.verdict(turn, square);
  const nation = campaign.nations[squares.nation[square]]?.nation;
  const headline = say("headline", {
    square: squares.square[square],
    x: squares.x[square],
    y: squares.y[square],
    where: nation === undefined ? say("in_no_nation") : say("in_nation", { nation }),
    turn: entry.turn,
    verdict: verdict?.owner ? say("owned_by", { owner: verdict.owner }) : (verdict?.status ?? "outside"),
  });
  if (verdict?.rule) headline.append(say("clause", { rule: verdict.rule }));
  const summary = campaign.rule.get(verdict?.rule)?.summary ?? phrases.outside;
  const sections = [];

  const cities = group < 0 ? [] : campaign.groups[group].cities;
  const holders = cities.map((city) => entry.holders[campaign.numberOfCity.get(city)]);
  if (cities.length) {
    const own = squares.squared_distance[square];
    const lines = cities.map((city, place) => {
      const holder = holders[place];
      const held =
        holder === null
          ? say("held_by_nobody")
          : say("held_by", {
              holder,
              side: say(campaign.national.get(nation).has(holder) ? "national" : "foreign"),
              since: entry.since[campaign.numberOfCity.get(city)],
            });
      return say("city", { city, distance: far(phrases, own), held });
    });
    const next = campaign.others("runner_up_cities", square);
    for (const { city, squared_distance: squared } of next) {
      const farther = (Math.sqrt(Number(squared)) - Math.sqrt(Number(own))).toFixed(2);
      lines.push(say("next", { city, distance: far(phrases, squared), farther }));
    }
    if (!next.length) lines.push(say("no_next"));
    sections.push({ title: phrases.nearest, lines });
  }

  const uncounted = campaign.others("uncounted_cities", square);
  if (uncounted.length) {
    const lines = uncounted.map(({ city, nation: theirs, squared_distance: squared }) =>
      say("uncounted_city", { city, nation: theirs, distance: far(phrases, squared) }),
    );
    sections.push({ title: phrases.uncounted, lines });
  }

  if (new Set(holders).size > 1) {
    const lines = campaign.alliances[entry.alliances[group]].map((pair) =>
      say("alliance", { ...pair, stands: say(pair.is_allied ? "allied" : "not_allied") }),
    );
    if (!lines.length) lines.push(say("no_alliances"));
    sections.push({ title: phrases.alliances, lines });
  }

  const deployment = campaign.deployment(turn, square);
  const sharers = deployment.filter((right) => right.basis === "sharer").map((right) => right.state);
  const hosts = sharers.join(", ") || verdict?.owner;
  const rights = deployment.map(({ state, basis }) =>
    say("may_deploy", { state, reason: say(basis, { hosts }) }),
  );
  if (!rights.length) rights.push(say("nobody"));
  sections.push({ title: phrases.deployment, lines: rights });

  const rulings = campaign.rulings.map(({ ruling, value, ruleset_value: usual }) => {
    const line = say("ruling", { ruling, value });
    if (value !== usual) line.append(say("changed_ruling", { value: usual }));
    return line;
  });
  sections.push({
    title: filled(phrases.rulings, { ruleset: campaign.ruleset }),
    lines: rulings,
    isClosed: true,
  });
  return { headline, summary, sections };
}

// Put an explanation into an element.
function showExplanation(element, { headline, summary, sections }) {
  const make = (tag, name, ...content) => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...content);
    return made;
  };
  const wasOpen = element.querySelector("details")?.open ?? false;
  element.replaceChildren(make("p", "headline", headline), make("p", "summary", summary));
  for (const { title, lines, isClosed } of sections) {
    const list = make("ul", "", ...lines.map((line) => make("li", "", line)));
    if (isClosed) {
      const details = make("details", "", make("summary", "", title), list);
      details.open = wasOpen;
      element.append(details);
    } else {
      element.append(make("h3", "", title), list);
    }
  }
}
