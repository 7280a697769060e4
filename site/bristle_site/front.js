"use strict";

const form = document.getElementById("which");
const holds = (when, given) => Object.entries(when).every(([name, value]) => given[name] === value);

function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
}

/* The first rule that holds, its files, and what is said besides. */
function answer() {
    const given = Object.fromEntries(new FormData(form));
    const rule = DECISION.rules.find(({ when }) => holds(when, given));
    const files = rule.take.map((name) =>
        make(
            "p",
            { className: "take" },
            make(
                "a",
                { className: "button primary", href: `fmus/${name}.fmu` },
                `Take ${name}.fmu`,
            ),
            " ",
            make("a", { href: `models/${name}.html` }, "its page"),
            ...(DECISION.live
                ? [" ", make("a", { href: `playground/index.html#1=${name}` }, "try it live")]
                : []),
        ),
    );
    const notes = DECISION.notes
        .filter(({ when }) => holds(when, given))
        .map(({ text, link }) =>
            make("p", {}, `${text} `, ...(link ? [make("a", { href: link }, "More")] : [])),
        );
    document.getElementById("answer").replaceChildren(make("p", {}, rule.why), ...notes, ...files);
}

form.addEventListener("change", answer);
answer();
