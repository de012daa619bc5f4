// The entry of the console: builds its parts, then shows them. It connects to the address it was served from and to no other.
import { mount } from 'svelte';
import App from './App.svelte';
import { compose } from './compose.ts';
import { live } from './life.svelte.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/parts.css';
import './styles/code.css';
import './styles/lists.css';
import './styles/shell.css';
import './styles/inspector.css';

const parts = compose();
await parts.language.load();
mount(App, { target: document.body, props: { parts } });
live(parts);
await parts.update.start();
