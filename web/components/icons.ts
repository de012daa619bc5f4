// The drawings, as path data on a 20 by 20 grid (the mark: 24 by 24). No markup, so no string ever becomes an element.

const circle = (x: number, y: number, r: number): string => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

export const icons = {
  now: ['M10 3v7l4.5 2.6', circle(10, 10, 7.2)],
  approvals: [circle(10, 10, 7.2), 'm6.8 10.3 2.3 2.3 4.2-4.8'],
  projects: ['M2.8 6.2h5l1.6 2h7.8v7.6H2.8z'],
  activity: ['M3 5h9M3 10h14M3 15h6'],
  connections: ['M7.6 12.4 12.4 7.6M8.8 6l1.7-1.7a3.2 3.2 0 0 1 4.6 4.6L13.4 10.6M11.2 14l-1.7 1.7a3.2 3.2 0 0 1-4.6-4.6l1.7-1.7'],
  settings: [
    circle(10, 10, 2.4),
    'M10 2.8v2.4M10 14.8v2.4M2.8 10h2.4M14.8 10h2.4M4.9 4.9l1.7 1.7M13.4 13.4l1.7 1.7M4.9 15.1l1.7-1.7M13.4 6.6l1.7-1.7',
  ],
  undo: ['M4 8.5h8a4 4 0 0 1 0 8H8M4 8.5 7.3 5M4 8.5 7.3 12'],
  redo: ['M16 8.5H8a4 4 0 0 0 0 8h4M16 8.5 12.7 5M16 8.5 12.7 12'],
  find: [circle(8.8, 8.8, 5.2), 'M12.8 12.8 17 17'],
  back: ['M12 4.5 6.5 10l5.5 5.5'],
  check: ['m4.5 10.5 3.6 3.6 7.4-8'],
} as const;

export type IconName = keyof typeof icons;

export const mark = 'M3 20h18M5 20V8l2-2 2 2v12M15 20V8l2-2 2 2v12M9 12h6M9 16l6-4';
