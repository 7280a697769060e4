const data = JSON.parse(byId("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
/* Told apart with every kind of colour blindness: they differ in lightness too. */
const LIGHT = ["#b23a4c", "#1b6ca8", "#e69f00", "#3d1a66", "#56b4e9", "#00856a"];
const DARK = ["#ff8fa0", "#3f8fe0", "#f2c14e", "#d9f7be", "#9fd8ff", "#12806a"];
/* The later a line is drawn, the more gaps it has: one below it with the same values is seen. */
const DASHES = [[], [12, 4], [7, 4], [9, 4, 2, 4], [4, 5], [2, 5]];
const FAINT = "26"; /* the opacity of a line, behind its colour, while another one is emphasized */
const SHORTEST_DRAG = 24; /* pixels along an axis from which on it is zoomed */

/* The choice of models is kept in the address. */
const asked = new URLSearchParams(location.search).get("models");
const selected = new Set(
    asked === null
        ? data.models.filter((model) => model.shown).map((model) => model.name)
        : asked.split(","),
);
let chosen = asked !== null; /* by the user: then a section without any of them stays empty */
let emphasized = null; /* a model */
const order = new Map(data.models.map((model, i) => [model.name, i]));
const slots = new Map(); /* model: place in the palette, as long as it is switched on */
const plots = [];

const colour = (model) =>
    slots.has(model)
        ? (dark.matches ? DARK : LIGHT)[slots.get(model) % LIGHT.length]
        : colours.faint;

function dash(model) {
    if (!slots.has(model)) return order.has(model) ? [] : [4, 4];
    if (selected.has(model) && selected.size <= DASHES.length)
        return DASHES[[...order.keys()].filter((one) => selected.has(one)).indexOf(model)];
    const slot = slots.get(model);
    return DASHES[(slot + Math.floor(slot / LIGHT.length)) % DASHES.length];
}

function numbers(text, factor) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return Float64Array.from(new Float32Array(bytes.buffer), (value) => value * factor);
}

/* Calls with the points of the lines that are shown, between two ends of x. */
function eachPoint(plot, [from, to], call) {
    for (const line of plot.lines)
        if (line.shown)
            line.points[0].forEach((x, k) => {
                if (x >= from && x <= to) call(x, line.points[1][k], line);
            });
}

/* The least and the largest value along x (0) or y (1), between two ends of x. */
function extent(plot, axis, ends = [-Infinity, Infinity]) {
    let [low, high] = [Infinity, -Infinity];
    eachPoint(plot, ends, (...point) => {
        low = Math.min(low, point[axis]);
        high = Math.max(high, point[axis]);
    });
    return low > high ? [0, 1] : [low, high];
}

function widened([low, high]) {
    const margin = 0.04 * (high - low) || Math.abs(high) || 1;
    return [low - margin, high + margin];
}

/* Shows all of every line that is switched on. */
function fit(plot) {
    plot.zoomed = false;
    const ends = plot.range ?? extent(plot, 0);
    plot.x.span(...(ends[1] > ends[0] && (plot.range || plot.overTime) ? ends : widened(ends)));
    plot.y.span(...widened(extent(plot, 1, plot.range)));
    draw(plot);
}

/* Shows what was dragged over; the other plots over time of a section follow along the time. */
function zoom(plot, { x, y, toX, toY }) {
    const { frame, overTime } = plot,
        wide = Math.abs(toX - x) >= SHORTEST_DRAG,
        high = Math.abs(toY - y) >= SHORTEST_DRAG;
    if (!wide && !high) return draw(plot);
    const [left, right] = [frame.xAt(Math.min(x, toX)), frame.xAt(Math.max(x, toX))],
        [low, top] = [frame.yAt(Math.max(y, toY)), frame.yAt(Math.min(y, toY))];
    if (wide) plot.x.span(left, right);
    if (high) plot.y.span(low, top);
    const others = plots.filter((one) => one.section === plot.section && one.overTime);
    for (const other of wide && overTime ? others : []) {
        if (other === plot) continue;
        other.x.span(left, right);
        other.y.span(...widened(extent(other, 1, [left, right])));
        other.zoomed = true;
        draw(other);
    }
    plot.zoomed = true;
    draw(plot);
}

function draw(plot) {
    const { width, height } = plot.pen.begin(),
        { drag } = plot;
    plot.frame = new Frame(width, height, plot.x, plot.y);
    plot.frame.draw(plot.pen, drawn(plot));
    if (drag)
        plot.pen.box(drag.x, drag.y, drag.toX - drag.x, drag.toY - drag.y, colours.ink + FAINT);
}

/* The lines as a frame draws them. */
const drawn = (plot) =>
    plot.lines
        .filter((line) => line.shown)
        .map(({ model, points: [xs, ys] }) => ({
            eachPoint: (call) => xs.forEach((x, k) => call(x, ys[k])),
            colour: colour(model) + (emphasized && model !== emphasized ? FAINT : ""),
            dash: dash(model),
        }));

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

/* What is pointed at: over time each line's value, nearest first; else the nearest point. */
function pointed(plot, left, top) {
    const { frame } = plot;
    if (plot.overTime) {
        const x = frame.xAt(left),
            y = frame.yAt(top);
        const found = plot.lines
            .filter((line) => line.shown)
            .map((line) => ({ line, x, y: atTime(line.points, x) }))
            .filter((one) => one.y !== null);
        return found.sort((a, b) => Math.abs(a.y - y) - Math.abs(b.y - y)).slice(0, 8);
    }
    let best = [],
        distance = 40;
    eachPoint(plot, [plot.x.low, plot.x.high], (x, y, line) => {
        const away = Math.hypot(frame.px(x) - left, frame.py(y) - top);
        if (away >= distance) return;
        distance = away;
        best = [{ line, x, y }];
    });
    return best;
}

/* Where a pointer is, or the next place between the axes. */
const between = ({ frame }, { offsetX, offsetY }) => [
    clamp(offsetX, frame.left, frame.right),
    clamp(offsetY, frame.top, frame.bottom),
];

function explain(plot, left, top) {
    const { frame, tooltip, pen } = plot,
        isInside =
            left >= frame.left && left <= frame.right && top >= frame.top && top <= frame.bottom;
    const found = isInside ? pointed(plot, left, top) : [];
    tooltip.hidden = !found.length;
    if (!found.length) return;
    const rows = found.map(({ line, x, y }) => {
        const value = plot.overTime ? shown(y, 5) : `${shown(x, 5)}, ${shown(y, 5)}`;
        return (
            `<div><i style="background:${colour(line.model)}"></i>` +
            `${line.model}<span class="value">${value}</span></div>`
        );
    });
    const head = plot.overTime ? `<b>${shown(found[0].x, 5)} s</b>` : "";
    tooltip.innerHTML = head + rows.join("");
    const width = pen.canvas.clientWidth,
        isOnTheRight = left > width / 2;
    tooltip.style.left = isOnTheRight ? "" : `${left + 14}px`;
    tooltip.style.right = isOnTheRight ? `${width - left + 14}px` : "";
    tooltip.style.top = `${pen.canvas.offsetTop + Math.min(top, frame.bottom - 60) + 8}px`;
}

const isShown = (section, model) =>
    !order.has(model) || selected.has(model) || (!chosen && section.models.includes(model));

function makePlot(section, spec, holder) {
    const given = Object.entries(spec.lines);
    if (spec.reference && given.length) given.push(["closed form", spec.reference]);
    const canvas = holder.querySelector("canvas");
    const plot = {
        section,
        holder,
        spec,
        lines: given.map(([model, [x, y]]) => ({
            model,
            points: [numbers(x, spec.x.factor), numbers(y, spec.y.factor)],
        })),
        x: new Axis(spec.x.label),
        y: new Axis(spec.y.label),
        range: spec.range,
        overTime: spec.x.column === "time",
        pen: new CanvasPen(canvas),
        tooltip: holder.querySelector(".tooltip"),
    };
    holder
        .querySelectorAll(".save button")
        .forEach((button) => button.addEventListener("click", () => save(plot, button.dataset.as)));
    canvas.addEventListener("pointerdown", (event) => {
        explain(plot, event.offsetX, event.offsetY);
        if (event.pointerType !== "mouse" || event.button) return; /* a finger scrolls the page */
        const [x, y] = between(plot, event);
        canvas.setPointerCapture(event.pointerId);
        plot.drag = { x, y, toX: x, toY: y };
    });
    canvas.addEventListener("pointermove", (event) => {
        if (plot.drag) {
            const [toX, toY] = between(plot, event);
            Object.assign(plot.drag, { toX, toY });
            draw(plot);
        }
        explain(plot, event.offsetX, event.offsetY);
    });
    canvas.addEventListener("pointerup", () => {
        const { drag } = plot;
        plot.drag = null;
        if (drag) zoom(plot, drag);
    });
    canvas.addEventListener("pointerleave", () => (plot.tooltip.hidden = true));
    canvas.addEventListener("dblclick", () =>
        plots.filter((one) => one.section === section).forEach(fit),
    );
    plots.push(plot);
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
    document.querySelectorAll(".chip").forEach((chip) => {
        const { model } = chip.dataset;
        chip.setAttribute("aria-pressed", selected.has(model));
        chip.replaceChildren(...key(model));
    });
    for (const plot of plots) {
        for (const line of plot.lines) line.shown = isShown(plot.section, line.model);
        const models = plot.lines.filter((line) => line.shown).map((line) => line.model);
        plot.holder.querySelector(".empty").hidden = models.length > 0;
        plot.holder
            .querySelector(".legend")
            .replaceChildren(...models.map((model) => make("span", {}, ...key(model))));
        if (plot.zoomed) draw(plot);
        else fit(plot);
    }
}

/* A piece of a model's line, and its name. */
function key(model) {
    const piece = make("template"),
        dashes = dash(model).map((part) => part * 0.7);
    piece.innerHTML =
        `<svg width="22" height="8" aria-hidden="true"><line x1="0" y1="4" x2="22" y2="4" ` +
        `stroke-width="3" stroke="${colour(model)}" stroke-dasharray="${dashes.join(" ")}"/></svg>`;
    return [piece.content, model];
}

function choose() {
    chosen = true;
    const address = new URL(location);
    address.searchParams.set("models", [...selected].join(","));
    history.replaceState(null, "", address);
    update();
}

function table(plot) {
    const rows = plot.lines
        .filter((line) => line.shown)
        .flatMap(({ model, points: [xs, ys] }) =>
            Array.from(xs, (x, k) => `${model},${x},${ys[k]}`),
        );
    return [`model,"${plot.spec.x.label}","${plot.spec.y.label}"`, ...rows, ""].join("\n");
}

/* What is shown of a plot, as a drawing of its own, with the names of the lines below it. */
function drawing(plot) {
    const pen = new SvgPen(),
        [width, height] = [640, 380];
    new Frame(width, height, plot.x, plot.y).draw(pen, drawn(plot));
    const models = plot.lines.filter((line) => line.shown).map((line) => line.model);
    models.forEach((model, i) => {
        const x = MARGIN.left + (i % 3) * 190,
            y = height + 16 + 18 * Math.floor(i / 3);
        pen.line([x, y - 4, x + 26, y - 4], colour(model), 2.4, dash(model));
        pen.text(model, x + 32, y, colours.ink);
    });
    return pen.file(width, height + 12 + 18 * Math.ceil(models.length / 3));
}

async function save(plot, kind) {
    const name = `${plot.holder.id}.${kind}`;
    if (kind === "csv") download(name, table(plot), "text/csv");
    else if (kind === "svg") download(name, drawing(plot), "image/svg+xml");
    else download(name, await pngBlob(drawing(plot)));
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
            if (typeof p !== typeof q) return typeof p === "string" ? -order : order;
            return order * (Number(p > q) - Number(p < q));
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
    emphasized = model;
    plots.forEach(draw);
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
byId("all").addEventListener("click", () => select(order.keys()));
byId("none").addEventListener("click", () => select([]));
document.querySelectorAll(".paper-models").forEach((button) => {
    button.addEventListener("click", () => select(button.dataset.models.split(" ")));
});

for (const section of data.sections)
    section.plots.forEach((spec, i) => makePlot(section, spec, byId(`${section.id}-${i}`)));
update();

let resizing = 0;
addEventListener("resize", () => {
    cancelAnimationFrame(resizing);
    resizing = requestAnimationFrame(() => plots.forEach(draw));
});
dark.addEventListener("change", update);
