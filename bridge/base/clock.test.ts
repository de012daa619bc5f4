// B38: stored time never runs backwards, so an expired thing never becomes fresh again.
import { expect, it } from 'vitest';
import { systemClock } from './clock.ts';

it('B38 holds still while the wall clock is behind and goes on with it afterwards', () => {
  let wall = 1000;
  const clock = systemClock(() => wall);
  expect(clock.now()).toBe(1000);
  wall = 500;
  expect(clock.now()).toBe(1000);
  wall = 1001;
  expect(clock.now()).toBe(1001);
});
