// The rings, as rules over the whole graph, type imports included. Only tests may look past their own ring, because they join parts.
const TEST = '\\.test\\.ts$|^bridge/testing/|^e2e/';
/** Every file of a folder but its tests. */
const of = (path, more = '') => ({ path, pathNot: more === '' ? TEST : `${TEST}|${more}` });
const GROUND = '^bridge/base/|^bridge/failed\\.ts$';
const CONTRACT = `${GROUND}|^bridge/operation\\.ts$`;
// The set-up table is pure words about other programs, printed without any bridge.
const COMMANDS_SEE =
  '^bridge/(cli|socket)/|^bridge/(app|locations)\\.ts$|^bridge/mcp/stream\\.ts$|^bridge/capabilities/access/clients\\.ts$';

/** By name: what the rule keeps apart, and why. */
const rules = {
  'no-circular': [{}, { circular: true }, 'Modules form a DAG, type imports included.'],
  'no-unresolvable': [{}, { couldNotResolve: true }, 'Every import exists.'],
  'no-import-of-tests': [{}, { path: '\\.test\\.ts$' }, 'A test exports nothing.'],
  'no-orphans': [
    { orphan: true, pathNot: `${TEST}|\\.d\\.ts$|^bridge/main\\.ts$|^bridge/setup/|^web/.*(main|service-worker|sw)\\.ts$` },
    {},
    'A file that nothing imports and that starts nothing is dead.',
  ],
  'testing-is-for-tests': [{ pathNot: TEST }, { path: '^bridge/testing/' }, 'Nothing that ships knows the tests.'],
  'shared-is-a-leaf': [of('^shared/'), { pathNot: '^shared/|^node_modules/zod/' }, 'It runs anywhere and imports zod alone.'],
  'web-never-imports-bridge': [{ path: '^web/' }, { path: '^bridge/' }, 'Go through a contract in shared.'],
  'bridge-never-imports-web': [{ path: '^bridge/' }, { path: '^web/' }, 'Go through a contract in shared.'],
  'web-has-no-node': [of('^web/'), { dependencyTypes: ['core'] }, 'The console runs in a browser.'],
  'base-knows-no-domain': [of('^bridge/base/'), { path: '^bridge/', pathNot: GROUND }, 'Base is mechanism.'],
  'operation-is-below-capabilities': [
    of('^bridge/(operation|failed)\\.ts$'),
    { path: '^bridge/', pathNot: CONTRACT },
    'Ring 2 looks down.',
  ],
  'capability-looks-down': [
    of('^bridge/capabilities/'),
    { path: '^bridge/', pathNot: `^bridge/capabilities/|${CONTRACT}` },
    'A capability sees no surface and no pipeline.',
  ],
  'capability-enters-by-service': [
    of('^bridge/capabilities/([^/]+)/'),
    { path: '^bridge/capabilities/', pathNot: '^bridge/capabilities/($1/|[^/]+/service\\.ts$)' },
    'Another capability is reached through its service.ts only.',
  ],
  'invocation-names-no-capability': [
    of('^bridge/invocation/'),
    { path: '^bridge/', pathNot: `^bridge/invocation/|${CONTRACT}` },
    'The pipeline gets operations as data.',
  ],
  'surface-goes-through-invocation': [
    of('^bridge/(mcp|console|socket|oauth)/'),
    { path: '^bridge/', pathNot: `^bridge/($1|invocation)/|${CONTRACT}` },
    'A surface translates; it calls no capability.',
  ],
  'commands-compose-by-app': [
    of('^bridge/cli/'),
    { path: '^bridge/', pathNot: `${COMMANDS_SEE}|${CONTRACT}` },
    'Commands open an app or ask the one that runs.',
  ],
  'only-app-builds-core': [of('^bridge/', '^bridge/app\\.ts$'), { path: '^bridge/core\\.ts$' }, 'One composition root.'],
  'only-commands-open-an-app': [of('^bridge/', '^bridge/cli/'), { path: '^bridge/app\\.ts$' }, 'One composition root.'],
  'child-process-only-in-base': [
    of('^(bridge|shared|web)/', '^bridge/(base/process|setup)/'),
    { path: '^(node:)?child_process$|^node_modules/execa/' },
    'Programs are started in one place.',
  ],
};

export default {
  forbidden: Object.entries(rules).map(([name, [from, to, comment]]) => ({ name, severity: 'error', comment, from, to })),
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.svelte'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'svelte', 'types', 'default'],
    },
  },
};
