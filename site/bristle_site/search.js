"use strict";

const MOST = 40; /* parts that are shown */
const AROUND = 90; /* letters to either side of the first word that is found */
const LENGTH = 500; /* letters of a text that one word is enough to be half about it */
const field = document.getElementById("query");

/* How much a text is about a word, from 0 to 1: repeats count less and less, and the longer the
   text, the more of them it takes. */
function weight(text, word) {
    const count = text.split(word).length - 1;
    return count / (count + text.length / LENGTH);
}

/* All words have to be there; a word in a title counts more, and one that stands alone most. */
function rank([link, title, head, text], words) {
    const own = link.startsWith("models/") ? 0.5 : 1; /* pages of models repeat shared texts */
    let sum = 0;
    for (const word of words) {
        const heads = `${title} ${head}`.toLowerCase();
        const inHead = heads.includes(word);
        const about = own * weight(text.toLowerCase(), word);
        if (!inHead && !about) return 0;
        const alone = heads.split(/[^\p{L}\p{N}_]+/u).includes(word);
        sum += (alone ? 9 : inHead ? 4 : 1) + about;
    }
    return sum;
}

function excerpt(text, words) {
    const lower = text.toLowerCase();
    const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
    const at = Math.min(...places, text.length);
    const from = at === text.length ? 0 : Math.max(at - AROUND, 0);
    const part = text.slice(from, from + 2 * AROUND + 20);
    return `${from ? "… " : ""}${part}${from + part.length < text.length ? " …" : ""}`;
}

function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length
        ? ENTRIES.map((entry) => [rank(entry, words), entry])
              .filter(([sum]) => sum > 0)
              .sort(([a], [b]) => b - a)
        : [];
    const count = document.getElementById("count");
    count.textContent = !words.length
        ? ""
        : found.length > MOST
          ? `The best ${MOST} of ${found.length} places.`
          : `${found.length} ${found.length === 1 ? "place" : "places"}.`;
    const items = found.slice(0, MOST).map(([, [link, title, head, text]]) => {
        const item = document.createElement("li");
        const anchor = document.createElement("a");
        anchor.href = link;
        anchor.textContent = title === head ? title : `${title}: ${head}`;
        const words_ = document.createElement("p");
        words_.textContent = excerpt(text, words);
        item.append(anchor, words_);
        return item;
    });
    document.getElementById("found").replaceChildren(...items);
}

field.value = new URLSearchParams(location.search).get("q") ?? "";
field.addEventListener("input", show);
show();
