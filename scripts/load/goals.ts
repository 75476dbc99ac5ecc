import { ratio, type Report } from "../bench/table.ts";

/** A value and the most it may be. */
export interface Goal {
  /** Part of the test. */
  readonly part: string;
  /** What was measured. */
  readonly measure: string;
  /** What it came to. */
  readonly value: number;
  /** Most it may be. */
  readonly most: number;
  /** Unit of both. */
  readonly unit: string;
}

/** Reports rows that have a goal and keeps those that miss it. */
export class Goals {
  /** Measures whose goal was missed. */
  readonly missed: string[] = [];
  /** Takes rows. */
  readonly report: Report;

  /** Passes rows on. */
  constructor(report: Report) {
    this.report = report;
  }

  /** Reports a value that has a goal. */
  check({ part, measure, value, most, unit }: Goal): void {
    const isMissed = !(value <= most);
    const name = measure.trim();
    if (isMissed) this.missed.push(`${part}: ${name}`);
    this.report({
      part,
      measure,
      value,
      unit,
      note: [
        most === 0
          ? "budget of 0"
          : ratio(value, most, `budget of ${most} ${unit}`),
        isMissed ? "MISSED" : "",
      ].join(" ").trim(),
    });
  }
}
