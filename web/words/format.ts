// Numbers, sizes and times in the reader's language. Pure: the moment of reading is an argument.

const JUST_NOW_MS = 3000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export interface Format {
  number(value: number): string;
  percent(share: number): string;
  bytes(count: number): string;
  /** A short length of time, to the tenth of a millisecond. */
  milliseconds(ms: number): string;
  /** A length of time in its two largest units: "3 hr 12 min". */
  span(ms: number): string;
  /** How long ago, or how far ahead: "4 min ago". */
  relative(atMs: number, nowMs: number): string;
  /** Date and time to the second, with the zone. */
  exact(atMs: number): string;
  /** The time of day; with the date when it was another day. */
  clock(atMs: number, nowMs: number): string;
  list(items: readonly string[]): string;
}

export function createFormat(tag: string): Format {
  const unit = (value: number, name: string) =>
    new Intl.NumberFormat(tag, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: 1 }).format(value);
  const ago = new Intl.RelativeTimeFormat(tag, { numeric: 'always', style: 'short' });
  const now = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  const exact = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'long' });
  const time = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
  const minute = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short' });
  return {
    number: (value) => new Intl.NumberFormat(tag).format(value),
    percent: (share) => new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share),
    bytes: (count) => {
      const [size, name] = scaled(count);
      return unit(size, name);
    },
    milliseconds: (ms) => unit(ms, 'millisecond'),
    span: (ms) =>
      split(ms)
        .map(([value, name]) => unit(value, name))
        .join(' '),
    relative: (atMs, nowMs) => {
      if (Math.abs(nowMs - atMs) < JUST_NOW_MS) return now.format(0, 'second');
      const [value, name] = split(Math.abs(nowMs - atMs))[0] as Part;
      return ago.format(atMs > nowMs ? value : -value, name);
    },
    exact: (atMs) => exact.format(atMs),
    clock: (atMs, nowMs) => (isSameDay(atMs, nowMs) ? time.format(atMs) : `${day.format(atMs)} ${minute.format(atMs)}`),
    list: (items) => new Intl.ListFormat(tag, { type: 'conjunction' }).format(items),
  };
}

/** Minutes and seconds as a clock that runs: "4:12", "1:04:12". Never negative. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

type Part = [value: number, unit: 'second' | 'minute' | 'hour' | 'day'];

function split(ms: number): Part[] {
  const seconds = Math.floor(ms / 1000);
  const pairs: [Part, Part][] = [
    [
      [Math.floor(ms / DAY_MS), 'day'],
      [Math.floor((ms % DAY_MS) / HOUR_MS), 'hour'],
    ],
    [
      [Math.floor(ms / HOUR_MS), 'hour'],
      [Math.floor((ms % HOUR_MS) / MINUTE_MS), 'minute'],
    ],
  ];
  const pair = pairs.find(([[large]]) => large > 0);
  if (pair !== undefined) return pair.filter(([value]) => value > 0);
  return seconds >= 60 ? [[Math.floor(seconds / 60), 'minute']] : [[Math.max(0, seconds), 'second']];
}

function scaled(count: number): [number, string] {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
  const step = count < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3));
  return [count / 1000 ** step, units[step] as string];
}

function isSameDay(atMs: number, nowMs: number): boolean {
  const [at, now] = [new Date(atMs), new Date(nowMs)];
  return at.getDate() === now.getDate() && at.getMonth() === now.getMonth() && at.getFullYear() === now.getFullYear();
}
