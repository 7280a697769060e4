// Plots, drawn by the same code on a canvas or into an SVG file.

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
const DASHES = [[], [8, 4], [2, 3.5]];

/** Colours that people with any colour vision tell apart (after Okabe and Ito), and the others of a
 * scheme. */
const SCHEMES = {
    light: {
        lines: ["#0072b2", "#d55e00", "#008a63"],
        ink: "#1f2a30",
        soft: "#5b6b75",
        faint: "#9aa8b0",
        grid: "#e6ebed",
        paper: "#ffffff",
        tint: "#f4f6f7",
    },
    dark: {
        lines: ["#5bb8ee", "#f0a03c", "#45cfa3"],
        ink: "#e6ebee",
        soft: "#a3b3bd",
        faint: "#75858e",
        grid: "#2a3339",
        paper: "#14191c",
        tint: "#1d2429",
    },
};
const darkness = matchMedia("(prefers-color-scheme: dark)");
const scheme = () => SCHEMES[darkness.matches ? "dark" : "light"];

/** Draws on a canvas. */
class CanvasPen {
    constructor(canvas) {
        this.canvas = canvas;
        this.context = canvas.getContext("2d");
    }

    /** Adapts the canvas to its place on the page, and clears it. */
    begin() {
        const ratio = window.devicePixelRatio || 1,
            { clientWidth: width, clientHeight: height } = this.canvas;
        if (
            this.canvas.width !== Math.round(width * ratio) ||
            this.canvas.height !== Math.round(height * ratio)
        ) {
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
        }
        this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.context.clearRect(0, 0, width, height);
        return { width, height };
    }

    /** A line through points x0, y0, x1, y1, … */
    line(points, colour, width = 1, dash = [], closed = false, fill = null) {
        const c = this.context;
        c.beginPath();
        for (let i = 0; i < points.length; i += 2) c.lineTo(points[i], points[i + 1]);
        if (closed) c.closePath();
        if (fill) {
            c.fillStyle = fill;
            c.fill();
        }
        if (!colour) return;
        c.strokeStyle = colour;
        c.lineWidth = width;
        c.lineJoin = c.lineCap = "round";
        c.setLineDash(dash);
        c.stroke();
        c.setLineDash([]);
    }

    box(x, y, width, height, fill, stroke = null, radius = 0, lineWidth = 1) {
        const c = this.context;
        c.beginPath();
        c.roundRect(x, y, width, height, radius);
        c.fillStyle = fill;
        if (fill) c.fill();
        if (!stroke) return;
        c.strokeStyle = stroke;
        c.lineWidth = lineWidth;
        c.stroke();
    }

    dot(x, y, radius, fill, stroke = null) {
        const c = this.context;
        c.beginPath();
        c.arc(x, y, radius, 0, 2 * Math.PI);
        if (fill) {
            c.fillStyle = fill;
            c.fill();
        }
        if (!stroke) return;
        c.strokeStyle = stroke;
        c.lineWidth = 1.5;
        c.stroke();
    }

    text(text, x, y, colour, { size = 12, align = "start", turned = false, weight = 400 } = {}) {
        const c = this.context;
        c.save();
        c.translate(x, y);
        if (turned) c.rotate(-Math.PI / 2);
        c.font = `${weight} ${size}px ${FONT}`;
        c.fillStyle = colour;
        c.textAlign = align;
        c.textBaseline = "alphabetic";
        c.fillText(text, 0, 0);
        c.restore();
    }

    clipped(x, y, width, height, call) {
        this.context.save();
        this.context.beginPath();
        this.context.rect(x, y, width, height);
        this.context.clip();
        call();
        this.context.restore();
    }
}

/** Writes SVG. */
class SvgPen {
    constructor() {
        this.parts = [];
        this.clips = 0;
    }

    static number(value) {
        return String(Math.round(value * 100) / 100);
    }

    line(points, colour, width = 1, dash = [], closed = false, fill = null) {
        const pairs = [];
        for (let i = 0; i < points.length; i += 2)
            pairs.push(`${SvgPen.number(points[i])},${SvgPen.number(points[i + 1])}`);
        const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
        this.parts.push(
            `<${closed ? "polygon" : "polyline"} points="${pairs.join(" ")}" ` +
                `fill="${fill ?? "none"}" stroke="${colour ?? "none"}" stroke-width="${width}" ` +
                `stroke-linejoin="round" stroke-linecap="round"${dashes}/>`,
        );
    }

    box(x, y, width, height, fill, stroke = null, radius = 0, lineWidth = 1) {
        const [a, b, w, h] = [x, y, width, height].map(SvgPen.number);
        this.parts.push(
            `<rect x="${a}" y="${b}" width="${w}" height="${h}" rx="${radius}" ` +
                `fill="${fill ?? "none"}" stroke="${stroke ?? "none"}" ` +
                `stroke-width="${lineWidth}"/>`,
        );
    }

    dot(x, y, radius, fill, stroke = null) {
        this.parts.push(
            `<circle cx="${SvgPen.number(x)}" cy="${SvgPen.number(y)}" r="${radius}" ` +
                `fill="${fill ?? "none"}" stroke="${stroke ?? "none"}" stroke-width="1.5"/>`,
        );
    }

    text(text, x, y, colour, { size = 12, align = "start", turned = false, weight = 400 } = {}) {
        const anchor = {
            start: "start",
            center: "middle",
            end: "end",
            left: "start",
            right: "end",
        }[align];
        const [a, b] = [x, y].map(SvgPen.number),
            escaped = text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
        this.parts.push(
            `<text transform="translate(${a} ${b})${turned ? " rotate(-90)" : ""}" ` +
                `fill="${colour}" font-size="${size}" font-weight="${weight}" ` +
                `text-anchor="${anchor}">${escaped}</text>`,
        );
    }

    clipped(x, y, width, height, call) {
        const id = `clip${this.clips++}`,
            [a, b, w, h] = [x, y, width, height].map(SvgPen.number);
        this.parts.push(
            `<clipPath id="${id}"><rect x="${a}" y="${b}" width="${w}" height="${h}"/></clipPath>` +
                `<g clip-path="url(#${id})">`,
        );
        call();
        this.parts.push("</g>");
    }

    /** Everything that `call` draws is moved there. */
    moved(x, y, call) {
        this.parts.push(`<g transform="translate(${SvgPen.number(x)} ${SvgPen.number(y)})">`);
        call();
        this.parts.push("</g>");
    }

    file(width, height, background) {
        return (
            `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
            `viewBox="0 0 ${width} ${height}" font-family='${FONT}'>\n` +
            `<rect width="100%" height="100%" fill="${background}"/>\n${this.parts.join("\n")}\n` +
            `</svg>\n`
        );
    }
}

/** One axis: from where to where, in which unit. It opens at once and closes slowly, so that a
 * plot does not twitch. */
class Axis {
    constructor(unit, label, about = null) {
        this.unit = unit;
        this.label = label;
        this.about = about; // a value that is always in sight
        this.reset();
    }

    reset() {
        this.low = Infinity;
        this.high = -Infinity;
    }

    fit(low, high) {
        if (this.about !== null) {
            low = Math.min(low, this.about);
            high = Math.max(high, this.about);
        }
        if (!(low <= high)) [low, high] = [0, 1];
        const span = Math.max(high - low, 1e-9 * Math.max(Math.abs(low), Math.abs(high)), 1e-12);
        low -= 0.06 * span;
        high += 0.06 * span;
        const slow = 0.04;
        this.low =
            this.low > low
                ? low
                : Number.isFinite(this.low)
                  ? this.low + slow * (low - this.low)
                  : low;
        this.high =
            this.high < high
                ? high
                : Number.isFinite(this.high)
                  ? this.high + slow * (high - this.high)
                  : high;
    }

    /** Takes exactly these ends. */
    span(low, high) {
        this.low = low;
        this.high = high;
    }

    get suitable() {
        return suitable(Math.max(Math.abs(this.low), Math.abs(this.high)), this.unit);
    }

    ticks(count) {
        const { factor } = this.suitable,
            low = this.low / factor,
            high = this.high / factor;
        let step = niceBelow((high - low) / count);
        while ((high - low) / step > count + 0.5) step = niceBelow(2.6 * step);
        const digits = clamp(-Math.floor(Math.log10(step) + 1e-9), 0, 8),
            ticks = [];
        for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12) + 1e-12; i++)
            ticks.push({
                at: i * step * factor,
                text: (i * step)
                    .toFixed(digits)
                    .replace(/^-(?=0\.?0*$)/, "")
                    .replace("-", "−"),
            });
        return ticks;
    }
}

const MARGIN = { left: 54, right: 10, top: 8, bottom: 34 };

/** Lines of all slots over each other. `xName` and `yName` are names of COLUMNS. */
class Plot {
    constructor(id, title, x, y) {
        Object.assign(this, {
            id,
            title,
            given: { title, x, y },
            xName: x.name,
            yName: y.name,
        });
        this.take((text) => text);
    }

    /** Takes the words and units of what is drawn. */
    take(word) {
        const { title, x, y } = this.given;
        this.title = sentence(title.toLowerCase().replace(/\w+/g, word));
        this.x = new Axis(word(x.unit), word(x.label), x.about ?? null);
        this.y = new Axis(word(y.unit), word(y.label), y.about ?? null);
    }

    get overTime() {
        return this.xName === "time";
    }

    reset() {
        this.x.reset();
        this.y.reset();
    }

    draw(pen, width, height, slots, view) {
        const colours = scheme(),
            inner = {
                left: MARGIN.left,
                top: MARGIN.top,
                width: width - MARGIN.left - MARGIN.right,
                height: height - MARGIN.top - MARGIN.bottom,
            };
        const lines = slots.filter(
            (slot) => slot.count && slot.column[this.xName] >= 0 && slot.column[this.yName] >= 0,
        );
        this.fit(lines, view);
        const px = (value) =>
            inner.left + ((value - this.x.low) / (this.x.high - this.x.low)) * inner.width;
        const py = (value) =>
            inner.top + (1 - (value - this.y.low) / (this.y.high - this.y.low)) * inner.height;
        this.drawFrame(pen, inner, px, py, colours);
        pen.clipped(inner.left, inner.top - 2, inner.width + 2, inner.height + 4, () => {
            for (const slot of lines) {
                const points = [];
                this.eachPoint(slot, view, (x, y) => {
                    const a = px(x),
                        b = py(y),
                        last = points.length;
                    if (
                        last < 2 ||
                        Math.abs(a - points[last - 2]) + Math.abs(b - points[last - 1]) > 0.4
                    )
                        points.push(a, b);
                });
                pen.line(points, colours.lines[slot.index], 1.8, DASHES[slot.index]);
            }
            for (const slot of lines)
                pen.dot(
                    px(slot.now(this.xName)),
                    py(slot.now(this.yName)),
                    3.6,
                    colours.lines[slot.index],
                    colours.paper,
                );
        });
    }

    eachPoint(slot, view, call) {
        const x = slot.column[this.xName],
            y = slot.column[this.yName];
        slot.eachRow((at) => {
            if (slot.rows[at] >= view.from) call(slot.rows[at + x], slot.rows[at + y]);
        });
        call(slot.now(this.xName), slot.now(this.yName));
    }

    fit(lines, view) {
        let [lowX, highX, lowY, highY] = [Infinity, -Infinity, Infinity, -Infinity];
        for (const slot of lines) {
            this.eachPoint(slot, view, (x, y) => {
                lowX = Math.min(lowX, x);
                highX = Math.max(highX, x);
                lowY = Math.min(lowY, y);
                highY = Math.max(highY, y);
            });
        }
        this.ends = { lowX, highX, lowY, highY };
        if (this.overTime) this.x.span(view.from, view.to);
        else this.x.fit(lowX, highX);
        this.y.fit(lowY, highY);
    }

    drawFrame(pen, inner, px, py, colours) {
        const bottom = inner.top + inner.height;
        for (const { at, text } of this.x.ticks(clamp(inner.width / 62, 2, 8))) {
            pen.line([px(at), inner.top, px(at), bottom], at === 0 ? colours.faint : colours.grid);
            pen.text(text, px(at), bottom + 14, colours.soft, { size: 11, align: "center" });
        }
        for (const { at, text } of this.y.ticks(clamp(inner.height / 34, 2, 6))) {
            pen.line(
                [inner.left, py(at), inner.left + inner.width, py(at)],
                at === 0 ? colours.faint : colours.grid,
            );
            pen.text(text, inner.left - 6, py(at) + 4, colours.soft, { size: 11, align: "end" });
        }
        pen.text(
            `${this.x.label} in ${this.x.suitable.name}`,
            inner.left + inner.width,
            bottom + 29,
            colours.soft,
            { size: 11, align: "end" },
        );
        pen.text(`${this.y.label} in ${this.y.suitable.name}`, 11, inner.top, colours.soft, {
            size: 11,
            align: "end",
            turned: true,
        });
    }

    /** What there is to see, in words. */
    description(slots) {
        const names = slots
            .filter((slot) => slot.count)
            .map((slot) => slot.model.name)
            .join(", ");
        if (!names || !this.ends) return `${this.title}: nothing yet.`;
        const { lowX, highX, lowY, highY } = this.ends;
        return (
            `${this.title} of ${names}: ${this.y.label} between ` +
            `${quantity(lowY, this.y.unit)} and ${quantity(highY, this.y.unit)}, ${this.x.label} ` +
            `between ${quantity(lowX, this.x.unit)} and ${quantity(highX, this.x.unit)}.`
        );
    }
}

/** What the modes are over time: a strip for each mode of each slot. */
class ModePlot {
    constructor(id, title) {
        Object.assign(this, { id, title });
    }

    reset() {}

    take() {}

    /** Shades of a slot's colour, one per item. */
    static shade(items, value) {
        return items.length > 1 ? 0.12 + (0.8 * (value - 1)) / (items.length - 1) : 0.5;
    }

    draw(pen, width, height, slots, view) {
        const colours = scheme(),
            left = MARGIN.left,
            inner = width - left - MARGIN.right;
        const strips = slots
            .filter((slot) => slot.count)
            .flatMap((slot) =>
                slot.modeColumns.map(([at, items], i) => ({
                    slot,
                    at,
                    items,
                    part: i,
                    of: slot.modeColumns.length,
                })),
            );
        const px = (time) => left + ((time - view.from) / (view.to - view.from)) * inner;
        const bare = slots
            .filter((slot) => slot.count && !slot.modeColumns.length)
            .map((slot) => slot.model.name);
        const space = height - (bare.length ? 20 : 4),
            each = clamp(space / Math.max(strips.length, 1), 6, 26);
        strips.forEach((strip, i) =>
            this.drawStrip(
                pen,
                strip,
                2 + i * each,
                each - (strip.of > 1 ? 1 : 4),
                px,
                left,
                inner,
                colours,
                view,
            ),
        );
        if (bare.length)
            pen.text(
                `${bare.join(", ")}: no modes, the law is one piece.`,
                left,
                height - 6,
                colours.soft,
                { size: 12 },
            );
    }

    drawStrip(pen, { slot, at, items, part, of }, top, height, px, left, width, colours, view) {
        const colour = colours.lines[slot.index];
        pen.dot(left - 16, top + height / 2, 4, part === 0 || of === 1 ? colour : null);
        pen.clipped(left, top, width, height, () => {
            pen.box(left, top, width, height, colours.tint);
            let since = NaN,
                mode = NaN;
            const finish = (end) => {
                if (Number.isNaN(mode)) return;
                const alpha = Math.round(255 * ModePlot.shade(items, mode))
                    .toString(16)
                    .padStart(2, "0");
                const x0 = Math.max(px(since), left),
                    x1 = px(end);
                pen.box(x0, top, Math.max(x1 - x0, 0.75), height, colour + alpha);
                if (height >= 14 && x1 - x0 > 62)
                    pen.text(
                        inWords(items[mode - 1]),
                        x0 + 5,
                        top + height / 2 + 4,
                        ModePlot.shade(items, mode) > 0.55 ? colours.paper : colours.ink,
                        { size: 11 },
                    );
            };
            const look = (time, value) => {
                if (value === mode) return;
                finish(time);
                since = time;
                mode = value;
            };
            slot.eachRow(
                (row) => slot.rows[row] >= view.from && look(slot.rows[row], slot.rows[row + at]),
            );
            if (slot.newest) look(slot.newest[0], slot.newest[at]);
            finish(slot.now("time"));
        });
    }

    description(slots) {
        const texts = slots
            .filter((slot) => slot.newest)
            .map(
                (slot) =>
                    `${slot.model.name} ` +
                    (slot.modeColumns
                        .map(([at, items]) => inWords(items[slot.newest[at] - 1]))
                        .join(", ") || "has no modes"),
            );
        return `${this.title}: ${texts.join("; ") || "nothing yet"}.`;
    }
}
