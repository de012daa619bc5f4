// Facts about the window that layouts written in script depend on.
import { MediaQuery } from 'svelte/reactivity';

/** The widths below which the inspector covers the screen, and rows take two lines; the same as in the style sheets. */
export const stacked = new MediaQuery('max-width: 1180px');
export const narrow = new MediaQuery('max-width: 720px');
