"use strict";
// Small things that all parts of the page use.

const byId = (id) => document.getElementById(id);

/** An element with properties and children. */
function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    if (tag === "button") element.type = "button"; // which submits nothing
    for (const [name, value] of Object.entries(properties)) {
        if (name in element && name !== "list") element[name] = value;
        else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}

/** A copy of a template. */
const copyOf = (id) => byId(id).content.firstElementChild.cloneNode(true);

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** A number as people write it: a few digits, no exponent as long as it can be read without. */
function shown(value, digits = 4) {
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    const text =
        size >= 1e-4 && size < 1e6
            ? String(Number(value.toPrecision(digits)))
            : value.toExponential(digits - 1).replace(/\.?0+e/, "e");
    return text.replace("-", "−").replace("e+", "e");
}

const PREFIXES = [
    ["k", 1e3],
    ["", 1],
    ["m", 1e-3],
    ["µ", 1e-6],
    ["n", 1e-9],
];

/** The unit with a prefix that suits a size: its name and its factor. */
function suitable(size, unit) {
    const [prefix, factor] =
        PREFIXES.find(([, one]) => size >= 0.9995 * one) ?? PREFIXES.at(size > 0 ? -1 : 1);
    return { name: prefix + unit, factor };
}

/** A quantity with a unit that suits it. */
function quantity(value, unit, digits = 3) {
    const { name, factor } = suitable(Math.abs(value), unit);
    return `${shown(value / factor, digits)} ${name}`;
}

/** N.s/m as N·s/m, m/s2 as m/s²; a ratio has no unit. */
const prettyUnit = (unit) =>
    unit === "1"
        ? ""
        : unit
              .replaceAll(".", "·")
              .replace(/([a-z])2$/, "$1²")
              .replace("um", "µm");

/** The text with a capital. */
const sentence = (text) => text[0].toUpperCase() + text.slice(1);

/** beltSpeed as "belt speed". */
const inWords = (name) => name.replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);

/** 1, 2 or 5 times a power of ten, not above the size. */
function niceBelow(size) {
    const power = 10 ** Math.floor(Math.log10(size) + 1e-9);
    const lead = size / power;
    return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

async function unpacked(id) {
    const bytes = Uint8Array.from(atob(byId(id).textContent.trim()), (letter) =>
        letter.charCodeAt(0),
    );
    return new Response(
        new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")),
    ).arrayBuffer();
}

/** Calls the function once things have been quiet for a while. */
function debounce(milliseconds, call) {
    let timer = 0;
    return () => {
        clearTimeout(timer);
        timer = setTimeout(call, milliseconds);
    };
}

function download(name, content, type) {
    const url = URL.createObjectURL(
        content instanceof Blob ? content : new Blob([content], { type }),
    );
    make("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}
