// drawbridge grants: the owner's standing answers, in the words of what each covers.
import type { ArgumentPattern, Grant } from '#shared/contracts/grants.ts';
import { say } from './output.ts';
import { asOwner } from './owner.ts';
import { visible } from './visible.ts';

interface Options {
  home?: string;
  json: boolean;
}

export async function listGrants({ home, json }: Options): Promise<void> {
  const listed = await asOwner(home, (call) => call('grant_list', {}));
  if (json) return say(JSON.stringify(listed));
  say(listed.grants.length === 0 ? 'Nothing is granted.' : listed.grants.map(describeGrant).join('\n'));
}

export async function revokeGrant({ home, json }: Options, grantId: string): Promise<void> {
  const revoked = await asOwner(home, (call) => call('grant_revoke', { grantId }));
  say(json ? JSON.stringify(revoked) : describeGrant(revoked.grant));
}

/** One line: which, whether it holds, who, what, where, until when, and how it was used. */
export function describeGrant(grant: Grant): string {
  const { program, host, lastUsedAt } = grant;
  const reach = [
    ...grant.arguments.map(patternText),
    ...grant.paths,
    ...(program === null ? [] : [`program ${program}`]),
    ...(host === null ? [] : [`host ${host}`]),
  ];
  const used = lastUsedAt === null ? 'never used' : `used ${grant.uses} times, last ${new Date(lastUsedAt).toISOString()}`;
  const until = `${grant.status} until ${new Date(grant.until).toISOString()}`;
  return [grant.grantId, until, grant.callerName, grant.operation, ...reach, `in ${grant.projectId}`, used].map(visible).join('  ');
}

const patternText = (pattern: ArgumentPattern): string =>
  'equals' in pattern ? `${pattern.name}=${JSON.stringify(pattern.equals)}` : `${pattern.name}=${JSON.stringify(pattern.startsWith)}…`;
