// The scene: bodies that move, one lane for each model, and the hand that holds them.

const LANE = 102; // height of a lane
const SMALLEST_REACH = 1e-6; // m
const ROOM_FOR_A_HAND = 0.02; // m
const BODY = { width: 70, height: 40 };
const EDGE = 6; // of the scene, without arrows
const WHEEL = 15; // radius of a motor
const LINK = 30; // length of the link of a robot

/** The present force in a unit that does not change all the time. */
function forceText(slot) {
    const { name, factor } = suitable(slot.largestForce, slot.word("N"));
    const digits = slot.largestForce / factor >= 100 ? 0 : 2;
    return `${(slot.now("force") / factor).toFixed(digits).replace("-", "−")} ${name}`;
}

class Scene {
    constructor(canvas) {
        this.canvas = canvas;
        this.pen = new CanvasPen(canvas);
        this.reset();
    }

    reset() {
        this.shown = { position: 0, height: 0 }; // the range of the scale, which follows
        this.travel = 0;
        this.lastTime = 0;
    }

    /** The scale: the origin of the body and pixels per metre. */
    get place() {
        const width = this.canvas.clientWidth,
            space = this.isVertical ? 0 : width - 250;
        return {
            origin: this.isVertical
                ? width / 2
                : this.leftmost < -0.25 * this.shown.position
                  ? 130 + space / 2
                  : 150,
            scale:
                space /
                (1.1 * (this.shown.position || 1)) /
                (this.leftmost < -0.25 * this.shown.position ? 2 : 1),
            rise: 34 / (this.shown.height || 1),
        };
    }

    /** Adapts the scale: at once where bodies would leave it, else slowly; a hand needs room. */
    updateScale(slots, held) {
        let reach = 0,
            height = 0,
            leftmost = 0;
        for (const slot of slots) {
            if (!slot.count) continue;
            const at = slot.column.position,
                h = slot.column.height;
            slot.eachRow((row) => {
                reach = Math.max(reach, Math.abs(slot.rows[row + at]));
                leftmost = Math.min(leftmost, slot.rows[row + at]);
                if (h >= 0) height = Math.max(height, slot.rows[row + h]);
            });
        }
        this.isVertical = slots.some(
            (slot) => slot.count && slot.column.position === slot.column.height,
        );
        this.leftmost = leftmost;
        this.target = {
            position: Math.max(reach, held ? ROOM_FOR_A_HAND : SMALLEST_REACH),
            height: Math.max(height, 1e-9),
        };
        for (const name of ["position", "height"]) {
            const wanted = this.target[name];
            this.shown[name] =
                !this.shown[name] ||
                wanted > 1.2 * this.shown[name] ||
                wanted < 0.05 * this.shown[name]
                    ? wanted
                    : this.shown[name] + 0.05 * (wanted - this.shown[name]);
        }
    }

    height(lanes) {
        return Math.max(lanes, 1) * LANE + 26;
    }

    draw(slots, situation, settings, hand, time) {
        const { width, height } = this.pen.begin(),
            pen = this.pen;
        this.travel += (settings.beltSpeed ?? 0) * (time - this.lastTime);
        this.lastTime = time;
        const active = slots.filter((slot) => slot.fits);
        const place = this.place;
        active.forEach((slot, i) => {
            const top = 10 + i * LANE;
            if (slot.isRotational) this.drawJoint(slot, width / 2, top + 46);
            else this.drawLane(slot, top, width, place, { situation, settings, hand });
            this.drawNames(slot, top, width);
        });
        pen.text(quantity(time, "s"), 14, height - 9, colours.soft, { size: 11 });
        if (!active.some((slot) => slot.isRotational)) this.drawScale(pen, width, height, place);
    }

    /** The middle of the body's underside. */
    bodyPlace(slot, place) {
        const position = slot.now("position"),
            h = slot.column.height >= 0 ? slot.now("height") : NaN;
        const lifted = slot.now("normal") <= 0 && !(slot.column.height >= 0);
        return {
            x: this.isVertical ? place.origin : place.origin + (position || 0) * place.scale,
            up: h > 0 ? Math.min(h * place.rise, 44) : lifted ? 9 : 0,
        };
    }

    drawLane(slot, top, width, place, { situation, settings, hand }) {
        const pen = this.pen,
            colour = colourOf(slot),
            ground = top + 76;
        const { x, up } = this.bodyPlace(slot, place),
            under = ground - 8 - up;
        this.drawGround(ground, width, place, "beltSpeed" in settings);
        if ("springStiffness" in settings)
            this.drawSpring(26, x - BODY.width / 2, under - BODY.height / 2, ground);
        else if (!situation.pulls && !this.isVertical)
            this.drawRod(26, x - BODY.width / 2, under - BODY.height / 2);
        this.drawBristles(slot, x, ground, up, colour);
        const body = [x - BODY.width / 2, under - BODY.height, BODY.width, BODY.height];
        pen.box(...body, colours.paper, null, 7);
        pen.box(...body, `${colour}26`, colour, 7, 2.2);
        this.drawForces(slot, x, under, ground, width);
        if (hand.holds && situation.pulls)
            this.drawHand(x, under - BODY.height / 2, place.origin + hand.place * place.scale);
    }

    drawNames(slot, top, width) {
        const pen = this.pen,
            colour = colourOf(slot);
        pen.text(slot.model.name, 12, top + 10, colour, { size: 12, weight: 600 });
        pen.text(
            slot.problem ? "stopped" : forceText(slot),
            width - 12,
            top + 10,
            slot.problem ? colours.ink : colour,
            { size: 12, align: "end", weight: 600 },
        );
    }

    /** The motor of a robot's axis with a spoke, and the link that it lifts, which hangs down at
     * 0. The arrow at the motor is the torque of friction, against the motion. */
    drawJoint(slot, x, y) {
        const pen = this.pen,
            colour = colourOf(slot),
            turned = slot.now("position") || 0,
            link = slot.now("link") || 0,
            left = x - 90;
        pen.line([left, y, x, y], colours.faint, 3);
        pen.dot(left, y, WHEEL, `${colour}26`, colour);
        const [dx, dy] = [Math.sin(turned), Math.cos(turned)];
        pen.line([left, y, left + WHEEL * dx, y + WHEEL * dy], colour, 2);
        const [endX, endY] = [x + LINK * Math.sin(link), y + LINK * Math.cos(link)];
        pen.line([x, y, endX, endY], colours.soft, 4);
        pen.dot(x, y, 5, colours.paper, colours.soft);
        pen.dot(endX, endY, 8, `${colour}26`, colour);
        const share = slot.now("force") / Math.max(slot.largestForce, 1e-12);
        if (Math.abs(share) > 1e-3)
            this.drawAlong(left, y - WHEEL - 8, -46 * share, 2 * x, colour, 2.6);
    }

    drawGround(ground, width, place, moves) {
        const pen = this.pen,
            left = 26,
            right = width - 26;
        if (!moves) {
            pen.line([8, ground, width - 8, ground], colours.faint, 2);
            for (let x = 14; x < width - 8; x += 14)
                pen.line([x, ground + 1, x - 7, ground + 8], colours.line, 1.5);
            return;
        }
        pen.box(left - 12, ground, right - left + 24, 18, colours.tint, colours.faint, 9, 1.5);
        const step = 26,
            shift = (((this.travel * place.scale) % step) + step) % step;
        pen.clipped(left, ground, right - left, 18, () => {
            for (let x = left - step + shift; x < right + step; x += step) {
                pen.line([x, ground + 2, x, ground + 5], colours.faint, 2);
                pen.line(
                    [right + left - x, ground + 13, right + left - x, ground + 16],
                    colours.faint,
                    2,
                );
            }
        });
        for (const x of [left - 3, right + 3]) {
            const turn = (this.travel * place.scale) / 6;
            pen.dot(x, ground + 9, 5.5, colours.paper, colours.faint);
            pen.line(
                [x, ground + 9, x + 4 * Math.cos(turn), ground + 9 + 4 * Math.sin(turn)],
                colours.faint,
                1.5,
            );
        }
    }

    drawSpring(wall, body, y, ground) {
        const points = [wall, y, wall + 8, y],
            coils = 11,
            span = body - wall - 16;
        for (let i = 0; i < coils; i++)
            points.push(wall + 8 + ((i + 0.5) / coils) * span, y + (i % 2 ? 7 : -7));
        points.push(body - 8, y, body, y);
        this.pen.line([wall, y - 20, wall, ground], colours.soft, 2.5);
        this.pen.line(points, colours.soft, 1.4);
    }

    drawRod(wall, body, y) {
        this.pen.box(wall - 8, y - 9, 22, 18, colours.tint, colours.soft, 4, 1.5);
        this.pen.line([wall + 14, y, body, y], colours.soft, 3);
    }

    /** The bristles of the name: they lean as far as the force is of the normal force. */
    drawBristles(slot, x, ground, up, colour) {
        const lean =
            up > 0 ? 0 : clamp(slot.now("force") / Math.max(slot.now("normal"), 1e-9), -1, 1) || 0;
        for (let i = -3.5; i <= 3.5; i++) {
            const root = x + i * 8.4;
            this.pen.line(
                [
                    root,
                    ground - 8 - up,
                    root - 4.5 * lean,
                    ground - 4 - up,
                    root - 11 * lean,
                    ground - up,
                ],
                colour,
                1.4,
            );
        }
    }

    drawForces(slot, x, under, ground, width) {
        const colour = colourOf(slot),
            size = Math.max(slot.largestForce, 1e-12),
            force = slot.now("force"),
            load = slot.now("load"),
            normal = slot.now("normal");
        if (!this.isVertical && Math.abs(force) > 1e-3 * size)
            this.drawAlong(
                x - Math.sign(force) * (BODY.width / 2 + 4),
                ground - 5,
                -46 * (force / size),
                width,
                colour,
                2.6,
            );
        if (slot.element.columns.includes("load") && load)
            this.drawAlong(
                x + Math.sign(load) * (BODY.width / 2 + 6),
                under - BODY.height / 2,
                Math.sign(load) * 34,
                width,
                colours.soft,
                2.2,
            );
        if (Number.isFinite(normal)) {
            this.largestNormal = Math.max(this.largestNormal ?? 0, Math.abs(normal)) || 1;
            const length = 16 * clamp(normal / this.largestNormal, 0, 1);
            if (length > 1)
                this.drawArrow(x, under - BODY.height - 4 - length, 0, length, colours.soft, 1.8);
        }
    }

    /** An arrow to the side, moved into the scene. */
    drawAlong(x, y, dx, width, colour, lineWidth) {
        const low = EDGE + Math.max(-dx, 0),
            high = width - EDGE - Math.max(dx, 0);
        this.drawArrow(clamp(x, low, high), y, dx, 0, colour, lineWidth);
    }

    drawArrow(x, y, dx, dy, colour, width) {
        const length = Math.hypot(dx, dy);
        if (length < 3) return;
        const [ux, uy] = [dx / length, dy / length],
            head = Math.min(7, length);
        const [tx, ty] = [x + dx, y + dy];
        this.pen.line([x, y, tx - ux * head * 0.6, ty - uy * head * 0.6], colour, width);
        this.pen.line(
            [
                tx,
                ty,
                tx - ux * head - uy * head * 0.55,
                ty - uy * head + ux * head * 0.55,
                tx - ux * head + uy * head * 0.55,
                ty - uy * head - ux * head * 0.55,
            ],
            colour,
            0.5,
            [],
            true,
            colour,
        );
    }

    drawHand(x, y, handX) {
        this.pen.line([x, y, handX, y], colours.ink, 1.5, [3, 4]);
        this.pen.dot(handX, y, 6, null, colours.ink);
    }

    drawScale(pen, width, height, place) {
        const bars = [];
        if (!this.isVertical) bars.push(["", niceBelow(110 / place.scale), place.scale]);
        if (this.target?.height > 1e-8)
            bars.push(["height ", niceBelow(34 / place.rise), place.rise]);
        let x = width - 14;
        for (const [what, size, scale] of bars) {
            const length = size * scale,
                y = height - 9,
                text = what + quantity(size, "m");
            if (what) {
                pen.line([x, y, x, y - length], colours.soft, 1.5);
                pen.text(text, x - 6, y, colours.soft, { size: 11, align: "end" });
            } else {
                pen.line([x - length, y - 4, x - length, y, x, y, x, y - 4], colours.soft, 1.5);
                pen.text(text, x - length - 6, y, colours.soft, { size: 11, align: "end" });
            }
            x -= 190;
        }
    }

    /** The index of the body at a point, or -1. */
    bodyAt(slots, x, y) {
        const place = this.place;
        return slots
            .filter((slot) => slot.fits && slot.count)
            .findIndex((slot, i) => {
                const { x: middle, up } = this.bodyPlace(slot, place),
                    under = 10 + i * LANE + 68 - up;
                return (
                    Math.abs(x - middle) < BODY.width / 2 + 10 &&
                    y > under - BODY.height - 12 &&
                    y < under + 14
                );
            });
    }

    /** The position in the system at a pixel. */
    positionAt(x) {
        const place = this.place;
        return (x - place.origin) / place.scale;
    }
}
