// Facts about the window that layouts written in script depend on.
import { MediaQuery } from 'svelte/reactivity';

/** The width below which rows take two lines; the same as in the style sheets. */
export const narrow = new MediaQuery('max-width: 720px');
