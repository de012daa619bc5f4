// Which state folder a command means, as an absolute path wherever it was called from.
import { resolve } from 'node:path';
import { locationsOf, type Locations } from '../locations.ts';
import { findInstallation, launchOf, type Installation } from './installation.ts';

export interface Place {
  installation: Installation;
  locations: Locations;
  launch: { command: string; args: string[] };
}

/** `--home`, else DRAWBRIDGE_HOME, else the system's place. A client's set-up repeats the choice when there was one. */
export function findPlace(homeFlag: string | undefined): Place {
  const installation = findInstallation();
  const chosen = homeFlag ?? (process.env['DRAWBRIDGE_HOME'] || undefined);
  const home = chosen === undefined ? undefined : resolve(chosen);
  return { installation, locations: locationsOf(home, installation.web), launch: launchOf(installation, home) };
}
