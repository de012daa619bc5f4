// Loaded with every test file: when its tests are over, no folder of theirs is left.
import { afterAll } from 'vitest';
import { removeLeftFolders } from './folder.ts';

afterAll(removeLeftFolders);
