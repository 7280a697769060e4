"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
/* Told apart with every kind of colour blindness: they differ in lightness too. */
const LIGHT = ["#b23a4c", "#1b6ca8", "#e69f00", "#3d1a66", "#56b4e9", "#00856a"];
const DARK = ["#ff8fa0", "#3f8fe0", "#f2c14e", "#d9f7be", "#9fd8ff", "#12806a"];
/* The later a line is drawn, the more gaps it has: one below it with the same values is seen. */
const DASHES = [[], [12, 4], [7, 4], [9, 4, 2, 4], [4, 5], [2, 5]];
const HEIGHT = 300;

/* The choice of models is kept in the address. */
const asked = new URLSearchParams(location.search).get("models");
const selected = new Set(
    asked === null
        ? data.models.filter((model) => model.shown).map((model) => model.name)
        : asked.split(","),
);
let chosen = asked !== null; /* by the user: then a section without any of them stays empty */
const order = new Map(data.models.map((model, i) => [model.name, i]));
const slots = new Map(); /* model: place in the palette, as long as it is switched on */
const plots = [];

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const color = (model) =>
    slots.has(model)
        ? (dark.matches ? DARK : LIGHT)[slots.get(model) % LIGHT.length]
        : css("--faint");
function dash(model) {
    if (!slots.has(model)) return order.has(model) ? [] : [4, 4];
    if (selected.has(model) && selected.size <= DASHES.length)
        return DASHES[[...order.keys()].filter((one) => selected.has(one)).indexOf(model)];
    const slot = slots.get(model);
    return DASHES[(slot + Math.floor(slot / LIGHT.length)) % DASHES.length];
}
const number = (value, digits = 5) => {
    const size = Math.abs(value);
    const text =
        (size > 0 && size < 1e-3) || size >= 1e6
            ? value.toExponential(3).replace(/\.?0+e/, "e")
            : String(Number(value.toPrecision(digits)));
    return text.replace(/-/g, "−");
};

function numbers(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Float32Array(bytes.buffer);
}

function scaled(values, factor) {
    return Float64Array.from(values, (value) => value * factor);
}

/* A line through all points in their order, which need not be that of x. */
function path(u, index) {
    const [xs, ys] = u.data[index];
    const stroke = new Path2D();
    for (let k = 0; k < xs.length; k++) {
        const x = u.valToPos(xs[k], "x", true);
        const y = u.valToPos(ys[k], "y", true);
        if (k === 0) stroke.moveTo(x, y);
        else stroke.lineTo(x, y);
    }
    return { stroke, fill: null, clip: null, band: null, gaps: null, flags: 1 };
}

function extent(plot, axis) {
    let low = Infinity;
    let high = -Infinity;
    if (plot.range && axis === 0) return plot.range;
    plot.lines.forEach((line) => {
        if (!line.shown) return;
        line.points[axis].forEach((value, k) => {
            if (
                plot.range &&
                (line.points[0][k] < plot.range[0] || line.points[0][k] > plot.range[1])
            )
                return;
            if (value < low) low = value;
            if (value > high) high = value;
        });
    });
    if (low > high) return [0, 1];
    const margin =
        high > low ? (axis === 1 || !plot.overTime ? 0.04 * (high - low) : 0) : Math.abs(high) || 1;
    return [low - margin, high + margin];
}

/* Shows all of every line that is switched on. */
function fit(plot) {
    plot.zoomed = false;
    const [x0, x1] = extent(plot, 0);
    const [y0, y1] = extent(plot, 1);
    plot.chart.batch(() => {
        plot.chart.setScale("x", { min: x0, max: x1 });
        plot.chart.setScale("y", { min: y0, max: y1 });
    });
}

/* The other plots over time of a section follow a zoom along the time. */
function follow(plot) {
    if (!plot.overTime) return;
    const { min, max } = plot.chart.scales.x;
    for (const other of plots) {
        if (other === plot || other.section !== plot.section || !other.overTime) continue;
        let low = Infinity;
        let high = -Infinity;
        other.lines.forEach((line) => {
            if (!line.shown) return;
            line.points[0].forEach((x, k) => {
                if (x < min || x > max) return;
                low = Math.min(low, line.points[1][k]);
                high = Math.max(high, line.points[1][k]);
            });
        });
        const margin = 0.04 * (high - low) || 1e-12;
        other.zoomed = true;
        other.chart.batch(() => {
            other.chart.setScale("x", { min, max });
            if (low <= high) other.chart.setScale("y", { min: low - margin, max: high + margin });
        });
    }
}

function atTime([xs, ys], x) {
    if (x < xs[0] || x > xs[xs.length - 1]) return null;
    let a = 0;
    let b = xs.length - 1;
    while (b - a > 1) {
        const middle = (a + b) >> 1;
        if (xs[middle] <= x) a = middle;
        else b = middle;
    }
    return xs[b] > xs[a] ? ys[a] + ((ys[b] - ys[a]) * (x - xs[a])) / (xs[b] - xs[a]) : ys[b];
}

/* What the cursor points at: over time each line's value, nearest first; else the nearest point. */
function pointed(plot) {
    const { left, top } = plot.chart.cursor;
    const shown = plot.lines.filter((line) => line.shown);
    if (plot.overTime) {
        const x = plot.chart.posToVal(left, "x");
        const y = plot.chart.posToVal(top, "y");
        const found = shown
            .map((line) => ({ line, x, y: atTime(line.points, x) }))
            .filter((one) => one.y !== null);
        return found.sort((a, b) => Math.abs(a.y - y) - Math.abs(b.y - y)).slice(0, 8);
    }
    let best = null;
    let distance = 40 * 40;
    shown.forEach((line) => {
        line.points[0].forEach((x, k) => {
            const dx = plot.chart.valToPos(x, "x") - left;
            const dy = plot.chart.valToPos(line.points[1][k], "y") - top;
            if (dx * dx + dy * dy < distance) {
                distance = dx * dx + dy * dy;
                best = { line, x, y: line.points[1][k] };
            }
        });
    });
    return best ? [best] : [];
}

function explain(plot) {
    const { left, top } = plot.chart.cursor;
    const found = left >= 0 && top >= 0 ? pointed(plot) : [];
    plot.tooltip.style.display = found.length ? "block" : "none";
    if (!found.length) return;
    const rows = found.map(({ line, x, y }) => {
        const value = plot.overTime ? number(y) : `${number(x)}, ${number(y)}`;
        return (
            `<div><i style="background:${color(line.model)}"></i>` +
            `${line.model}<span class="value">${value}</span></div>`
        );
    });
    const head = plot.overTime ? `<b>${number(found[0].x)} s</b>` : "";
    plot.tooltip.innerHTML = head + rows.join("");
    const box = plot.chart.over.getBoundingClientRect();
    const outer = plot.holder.getBoundingClientRect();
    const flip = left > box.width / 2;
    plot.tooltip.style.left = flip ? "" : `${box.left - outer.left + left + 14}px`;
    plot.tooltip.style.right = flip ? `${outer.right - box.left - left + 14}px` : "";
    plot.tooltip.style.top = `${box.top - outer.top + Math.min(top, box.height - 60) + 8}px`;
}

function axis(label) {
    return {
        label,
        labelSize: 22,
        labelFont: "12px system-ui, sans-serif",
        font: "12px system-ui, sans-serif",
        labelGap: 2,
        stroke: () => css("--soft"),
        grid: { stroke: () => css("--line"), width: 1 },
        ticks: { show: false },
        values: (_, ticks) => {
            const digits = Math.log10(
                Math.max(...ticks.map(Math.abs)) / Math.abs(ticks[1] - ticks[0]),
            ); /* so that neighbours differ */
            return ticks.map((tick) =>
                number(
                    tick,
                    Number.isFinite(digits) ? Math.min(Math.max(5, Math.ceil(digits) + 2), 12) : 5,
                ),
            );
        },
    };
}

const isShown = (section, model) =>
    !order.has(model) || selected.has(model) || (!chosen && section.models.includes(model));

function makePlot(section, spec, holder) {
    const drawn = Object.entries(spec.lines);
    if (spec.reference && drawn.length) drawn.push(["closed form", spec.reference]);
    const lines = drawn.map(([model, [x, y]]) => ({
        model,
        points: [scaled(numbers(x), spec.x.factor), scaled(numbers(y), spec.y.factor)],
        shown: isShown(section, model),
    }));
    const plot = {
        section,
        holder,
        lines,
        spec,
        range: spec.range,
        overTime: spec.x.column === "time",
        zoomed: false,
    };
    holder
        .querySelectorAll(".save button")
        .forEach((button) => button.addEventListener("click", () => save(plot, button.dataset.as)));
    plot.tooltip = holder.querySelector(".tooltip");
    plot.empty = holder.querySelector(".empty");
    plot.chart = new uPlot(
        {
            mode: 2,
            width: holder.clientWidth,
            height: HEIGHT,
            legend: { show: false },
            scales: { x: { time: false, auto: false }, y: { auto: false } },
            axes: [
                { ...axis(spec.x.label), size: 30 },
                { ...axis(spec.y.label), size: 54 },
            ],
            focus: { alpha: 0.15 },
            cursor: {
                points: { show: false },
                drag: { x: true, y: true, uni: 24, setScale: true },
                bind: {
                    dblclick: (u) => () => {
                        plots.filter((one) => one.section === section).forEach(fit);
                    },
                },
            },
            series: [
                null,
                ...lines.map((line) => ({
                    label: line.model,
                    show: line.shown,
                    width: 1.7,
                    dash: dash(line.model),
                    stroke: () => color(line.model),
                    paths: path,
                    facets: [
                        { scale: "x", auto: true },
                        { scale: "y", auto: true },
                    ],
                })),
            ],
            hooks: {
                setCursor: [() => plot.chart && explain(plot)],
                setSelect: [
                    (u) => {
                        if (u.select.width > 0 || u.select.height > 0) {
                            plot.zoomed = true;
                            setTimeout(() => follow(plot));
                        }
                    },
                ],
            },
        },
        [null, ...lines.map((line) => line.points)],
        holder.querySelector(".canvas"),
    );
    plots.push(plot);
    plot.empty.hidden = lines.some((line) => line.shown);
    fit(plot);
}

/* Each model that is switched on keeps its colour until it is switched off; those that only a
   section shows by itself come after them. */
function allot() {
    const switched = [...order.keys()].filter((model) => selected.has(model));
    const visible = new Set([
        ...switched,
        ...(chosen ? [] : data.sections.flatMap((section) => section.models)),
    ]);
    for (const model of slots.keys()) if (!visible.has(model)) slots.delete(model);
    const taken = new Set(slots.values());
    for (const model of visible) {
        if (slots.has(model)) continue;
        let slot = 0;
        while (taken.has(slot)) slot++;
        taken.add(slot);
        slots.set(model, slot);
    }
}

/* Shows the models that are selected, everywhere. */
function update() {
    allot();
    document
        .querySelectorAll(".chip")
        .forEach((chip) => chip.setAttribute("aria-pressed", selected.has(chip.dataset.model)));
    document.querySelectorAll(".chip svg line").forEach((line) => {
        const model = line.closest(".chip").dataset.model;
        line.setAttribute("stroke", color(model));
        line.setAttribute(
            "stroke-dasharray",
            dash(model)
                .map((part) => part * 0.7)
                .join(" "),
        );
    });
    for (const plot of plots) {
        plot.chart.batch(() => {
            plot.lines.forEach((line, i) => {
                const shown = isShown(plot.section, line.model);
                plot.chart.series[i + 1].dash = dash(line.model);
                if (shown !== line.shown) plot.chart.setSeries(i + 1, { show: shown });
                line.shown = shown;
            });
        });
        plot.empty.hidden = plot.lines.some((line) => line.shown);
        plot.holder.querySelector(".legend").innerHTML = plot.lines
            .filter((line) => line.shown)
            .map(key)
            .join("");
        if (plot.zoomed) plot.chart.redraw(true);
        else fit(plot);
    }
}

/* What the lines of a plot are, beside it: on paper too. */
function key(line) {
    const dashes = dash(line.model)
        .map((part) => part * 0.7)
        .join(" ");
    return (
        `<span><svg width="18" height="8"><line x1="0" y1="4" x2="18" y2="4" stroke-width="3" ` +
        `stroke="${color(line.model)}" stroke-dasharray="${dashes}"/></svg>${line.model}</span>`
    );
}

function choose() {
    chosen = true;
    const address = new URL(location);
    address.searchParams.set("models", [...selected].join(","));
    history.replaceState(null, "", address);
    update();
}

function download(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function table(plot) {
    const rows = plot.lines
        .filter((line) => line.shown)
        .flatMap(({ model, points: [xs, ys] }) =>
            Array.from(xs, (x, k) => `${model},${x},${ys[k]}`),
        );
    return [`model,"${plot.spec.x.label}","${plot.spec.y.label}"`, ...rows, ""].join("\n");
}

/* What is shown of a plot, as a drawing of its own. */
function drawing(plot) {
    const [width, height, left, top] = [640, 400, 70, 24];
    const { x, y } = plot.chart.scales;
    const across = (value) => left + ((value - x.min) / (x.max - x.min)) * (width - left - 20);
    const down = (value) => top + ((y.max - value) / (y.max - y.min)) * (height - top - 90);
    const bottom = height - 90 + top - 24;
    const shown = plot.lines.filter((line) => line.shown);
    const ticks = (scale) => {
        const step = 10 ** Math.floor(Math.log10((scale.max - scale.min) / 2));
        const wide = (scale.max - scale.min) / step > 8 ? 5 * step : step;
        return Array.from(
            { length: 21 },
            (_, k) => (Math.ceil(scale.min / wide) + k) * wide,
        ).filter((value) => value <= scale.max);
    };
    const grid = [
        ...ticks(x).map(
            (v) =>
                `<path d="M${across(v)} ${top}V${bottom}" stroke="#ddd"/>` +
                `<text x="${across(v)}" y="${bottom + 16}" text-anchor="middle">` +
                `${number(v)}</text>`,
        ),
        ...ticks(y).map(
            (v) =>
                `<path d="M${left} ${down(v)}H${width - 20}" stroke="#ddd"/>` +
                `<text x="${left - 6}" y="${down(v) + 4}" text-anchor="end">${number(v)}</text>`,
        ),
    ];
    const curves = shown.map(({ model, points: [xs, ys] }) => {
        const at = (value, k) => `${across(value).toFixed(1)},${down(ys[k]).toFixed(1)}`;
        return (
            `<polyline fill="none" stroke="${color(model)}" stroke-width="1.7" ` +
            `stroke-dasharray="${dash(model).join(" ")}" clip-path="url(#c)" ` +
            `points="${Array.from(xs, at).join(" ")}"/>`
        );
    });
    const names = shown.map(
        ({ model }, i) =>
            `<text x="${left + (i % 4) * 140}" y="${bottom + 56 + 16 * Math.floor(i / 4)}" ` +
            `fill="${color(model)}">${model}</text>`,
    );
    return (
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ` +
        `${height + 16 * Math.floor(shown.length / 4)}" font-family="sans-serif" font-size="12">` +
        `<clipPath id="c"><rect x="${left}" y="${top}" width="${width - left - 20}" ` +
        `height="${bottom - top}"/></clipPath>${grid.join("")}${curves.join("")}` +
        `<text x="${(left + width - 20) / 2}" y="${bottom + 34}" text-anchor="middle">` +
        `${plot.spec.x.label}</text>` +
        `<text transform="translate(14 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">` +
        `${plot.spec.y.label}</text>${names.join("")}</svg>\n`
    );
}

function save(plot, kind) {
    const name = `${plot.holder.id}.${kind}`;
    if (kind === "csv") download(name, new Blob([table(plot)], { type: "text/csv" }));
    else if (kind === "svg") download(name, new Blob([drawing(plot)], { type: "image/svg+xml" }));
    else plot.holder.querySelector("canvas").toBlob((blob) => download(name, blob));
}

/* A click on the title of a column sorts by it, a second one in reverse. */
document.querySelectorAll("table.properties th button").forEach((button, column) => {
    let order = -1;
    button.addEventListener("click", () => {
        order = -order;
        const rank = (row) => {
            const text = row.cells[column].innerText;
            const value = parseFloat(text.replace(/^\D*/, ""));
            const unit = / (mm|m)(\/s)?$|mJ$/.test(text) ? (/ m(\/s)?$/.test(text) ? 1e6 : 1e3) : 1;
            return Number.isNaN(value) ? text : value * unit;
        };
        const [head, ...rows] = button.closest("table").rows;
        rows.sort((a, b) => {
            const [p, q] = [rank(a), rank(b)];
            return (
                order *
                (typeof p === typeof q
                    ? p < q
                        ? -1
                        : p > q
                          ? 1
                          : 0
                    : typeof p === "string"
                      ? -1
                      : 1)
            );
        });
        head.after(...rows);
    });
});

function select(names) {
    selected.clear();
    names.forEach((name) => selected.add(name));
    choose();
}

function emphasize(model) {
    for (const plot of plots) {
        const index = plot.lines.findIndex((line) => line.model === model && line.shown);
        plot.chart.setSeries(index < 0 ? null : index + 1, { focus: true });
    }
}

document.querySelectorAll(".chip").forEach((chip) => {
    const model = chip.dataset.model;
    chip.addEventListener("click", () => {
        if (!selected.delete(model)) selected.add(model);
        choose();
    });
    chip.addEventListener("dblclick", () => select([model]));
    chip.addEventListener("mouseenter", () => selected.has(model) && emphasize(model));
    chip.addEventListener("mouseleave", () => emphasize(null));
});
document.getElementById("all").addEventListener("click", () => select(order.keys()));
document.getElementById("none").addEventListener("click", () => select([]));
document.querySelectorAll(".paper-models").forEach((button) => {
    button.addEventListener("click", () => select(button.dataset.models.split(" ")));
});

allot();
for (const section of data.sections) {
    section.plots.forEach((spec, i) =>
        makePlot(section, spec, document.getElementById(`${section.id}-${i}`)),
    );
}
update();

let resizing = 0;
addEventListener("resize", () => {
    cancelAnimationFrame(resizing);
    resizing = requestAnimationFrame(() =>
        plots.forEach((plot) =>
            plot.chart.setSize({ width: plot.holder.clientWidth, height: HEIGHT }),
        ),
    );
});
dark.addEventListener("change", () => {
    update();
    plots.forEach((plot) => plot.chart.redraw());
});
