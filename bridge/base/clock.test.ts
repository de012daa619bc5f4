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

it('B38 goes on by the steady clock when the wall clock was set back, and by the wall clock after a sleep', () => {
  const day = 24 * 60 * 60_000;
  let [wall, steady] = [10 * day, 0.25];
  const clock = systemClock(
    () => wall,
    () => steady,
  );
  expect(clock.now()).toBe(10 * day);
  wall -= day;
  for (let look = 0; look < 3600; look += 1) {
    steady += 1000.5;
    wall += 1000.5;
    clock.now();
  }
  expect(clock.now()).toBe(10 * day + 3_601_800);
  wall += 3 * day;
  expect(clock.now()).toBe(Math.trunc(wall));
  steady += 5;
  expect(clock.now()).toBe(Math.trunc(wall));
});
