"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const LIGHT = ["#b23a4c", "#2470a8", "#3d8a4f", "#b07414", "#7a4fa3", "#1d8a8a", "#c2567f", "#6b7a2a"];
const DARK = ["#ef8a98", "#6db3e4", "#7ecb8f", "#e0b45c", "#b997e0", "#5fcaca", "#ef9ac0", "#b8c76a"];
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const HEIGHT = 300;

const selected = new Set(data.models.filter((model) => model.shown).map((model) => model.name));
const order = new Map(data.models.map((model, i) => [model.name, i]));
const slots = new Map(); /* model: place in the palette, as long as it is switched on */
const plots = [];

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const color = (model) => (slots.has(model) ? (dark.matches ? DARK : LIGHT)[slots.get(model) % 8] : css("--faint"));
const dash = (model) => (slots.has(model) ? DASHES[Math.floor(slots.get(model) / 8) % 4] : order.has(model) ? [] : [4, 4]);
const number = (value) => {
  const size = Math.abs(value);
  const text = (size > 0 && size < 1e-3) || size >= 1e6 ? value.toExponential(3).replace(/\.?0+e/, "e") : String(Number(value.toPrecision(5)));
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
      if (plot.range && (line.points[0][k] < plot.range[0] || line.points[0][k] > plot.range[1])) return;
      if (value < low) low = value;
      if (value > high) high = value;
    });
  });
  if (low > high) return [0, 1];
  const margin = high > low ? (axis === 1 || !plot.overTime ? 0.04 * (high - low) : 0) : Math.abs(high) || 1;
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
    const found = shown.map((line) => ({ line, x, y: atTime(line.points, x) })).filter((one) => one.y !== null);
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
    return `<div><i style="background:${color(line.model)}"></i>${line.model}<span class="value">${value}</span></div>`;
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
    label, labelSize: 22, labelFont: "12px system-ui, sans-serif", font: "12px system-ui, sans-serif", labelGap: 2,
    stroke: () => css("--soft"), grid: { stroke: () => css("--line"), width: 1 }, ticks: { show: false },
    values: (_, ticks) => ticks.map(number),
  };
}

function makePlot(section, spec, holder) {
  const lines = Object.entries(section.runs)
    .filter(([, run]) => run[spec.x.column] && run[spec.y.column])
    .map(([model, run]) => ({
      model,
      points: [scaled(run[spec.x.column], spec.x.factor), scaled(run[spec.y.column], spec.y.factor)],
      shown: selected.has(model),
    }));
  if (spec.reference && lines.length) {
    const run = Object.values(section.runs)[0];
    lines.push({ model: "closed form", points: [scaled(run[spec.x.column], spec.x.factor), scaled(run[spec.reference], spec.y.factor)], shown: true });
  }
  const plot = { section, holder, lines, range: spec.range, overTime: spec.x.column === "time", zoomed: false };
  plot.tooltip = holder.querySelector(".tooltip");
  plot.empty = holder.querySelector(".empty");
  plot.chart = new uPlot(
    {
      mode: 2,
      width: holder.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      scales: { x: { time: false, auto: false }, y: { auto: false } },
      axes: [{ ...axis(spec.x.label), size: 30 }, { ...axis(spec.y.label), size: 54 }],
      focus: { alpha: 0.15 },
      cursor: {
        points: { show: false },
        drag: { x: true, y: true, uni: 24, setScale: true },
        bind: { dblclick: (u) => () => { plots.filter((one) => one.section === section).forEach(fit); } },
      },
      series: [null, ...lines.map((line) => ({
        label: line.model, show: line.shown, width: 1.7, dash: dash(line.model), stroke: () => color(line.model), paths: path,
        facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }],
      }))],
      hooks: {
        setCursor: [() => plot.chart && explain(plot)],
        setSelect: [(u) => {
          if (u.select.width > 0 || u.select.height > 0) {
            plot.zoomed = true;
            setTimeout(() => follow(plot));
          }
        }],
      },
    },
    [null, ...lines.map((line) => line.points)],
    holder.querySelector(".canvas"),
  );
  plots.push(plot);
  plot.empty.hidden = lines.some((line) => line.shown);
  fit(plot);
}

/* Each model that is switched on keeps its colour until it is switched off. */
function allot() {
  for (const model of slots.keys()) if (!selected.has(model)) slots.delete(model);
  const taken = new Set(slots.values());
  for (const model of order.keys()) {
    if (!selected.has(model) || slots.has(model)) continue;
    let slot = 0;
    while (taken.has(slot)) slot++;
    taken.add(slot);
    slots.set(model, slot);
  }
}

/* Shows the models that are selected, everywhere. */
function update() {
  allot();
  document.querySelectorAll(".chip").forEach((chip) => chip.setAttribute("aria-pressed", selected.has(chip.dataset.model)));
  document.querySelectorAll(".chip svg line").forEach((line) => {
    const model = line.closest(".chip").dataset.model;
    line.setAttribute("stroke", color(model));
    line.setAttribute("stroke-dasharray", dash(model).map((part) => part * 0.7).join(" "));
  });
  for (const plot of plots) {
    plot.chart.batch(() => {
      plot.lines.forEach((line, i) => {
        const shown = !order.has(line.model) || selected.has(line.model);
        plot.chart.series[i + 1].dash = dash(line.model);
        if (shown !== line.shown) plot.chart.setSeries(i + 1, { show: shown });
        line.shown = shown;
      });
    });
    plot.empty.hidden = plot.lines.some((line) => line.shown);
    if (plot.zoomed) plot.chart.redraw(true);
    else fit(plot);
  }
}

function select(names) {
  selected.clear();
  names.forEach((name) => selected.add(name));
  update();
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
    update();
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
  for (const run of Object.values(section.runs)) {
    for (const column of Object.keys(run)) run[column] = numbers(run[column]);
  }
  section.plots.forEach((spec, i) => makePlot(section, spec, document.getElementById(`${section.id}-${i}`)));
}
update();

let resizing = 0;
addEventListener("resize", () => {
  cancelAnimationFrame(resizing);
  resizing = requestAnimationFrame(() => plots.forEach((plot) => plot.chart.setSize({ width: plot.holder.clientWidth, height: HEIGHT })));
});
dark.addEventListener("change", () => {
  update();
  plots.forEach((plot) => plot.chart.redraw());
});
