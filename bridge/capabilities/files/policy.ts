// Which paths no caller reads (secret), which none touches (protected), which a listing leaves out, and which run with more power.

export type Layer = 'secret' | 'protected';

const secretNames = new Set([
  ...[
    '.envrc',
    '.npmrc',
    '.pypirc',
    '.netrc',
    '_netrc',
    '.git-credentials',
    '.pgpass',
    '.my.cnf',
    '.htpasswd',
    '.vault-token',
    '.s3cfg',
    '.boto',
  ],
  ...['secrets.json', 'secrets.yml', 'secrets.yaml', 'secrets.toml', 'credentials.json', 'application_default_credentials.json'],
  ...['kubeconfig', '.dockerconfigjson', '.dockercfg', '.terraformrc', 'terraform.rc'],
]);
const secretFolders = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.gcloud']);
/** A name that is a secret only below the folder it belongs to. */
const secretBelow = new Map<string, ReadonlySet<string>>([
  ['.kube', new Set(['config'])],
  ['.docker', new Set(['config.json'])],
  ['.config', new Set(['gcloud', 'gh', 'op'])],
  ['.cargo', new Set(['credentials', 'credentials.toml'])],
  ['.gem', new Set(['credentials'])],
]);
const secretEndings = /\.(pem|key|p8|p12|pfx|jks|keystore|kdbx?|asc|ppk|tfvars|tfvars\.json|tfstate(\..*)?)$/;
const secretStarts = /^(id_(rsa|dsa|ecdsa|ed25519)|service[-_]?account.*\.json$|client_secret.*\.json$)/;
const environmentFile = /^\.env\.|\.env$/;
/**
 * `.env.example` and its like are readable: they are written to be committed and shared, and without them an agent
 * has to guess which variables a program needs. A template that holds a real secret is already public in its repository.
 */
const environmentTemplate = /(^|\.)env(\.[^.]+)*\.(example|sample|template|dist)$/;

/** The layer of one entry, or null. `folder` is the name of the directory it is in, "" at the root. */
export function layerOfEntry(folder: string, name: string): Layer | null {
  const plain = plainName(name);
  if (plain === '.git') return 'protected';
  if (secretNames.has(plain) || secretFolders.has(plain) || secretEndings.test(plain) || secretStarts.test(plain)) return 'secret';
  if (environmentFile.test(plain)) return environmentTemplate.test(plain) ? null : 'secret';
  return folder !== '' && secretBelow.get(plainName(folder))?.has(plain) === true ? 'secret' : null;
}

/** The layer of a whole path: an entry below a secret folder is secret, one below `.git` is protected. */
export function layerOf(path: string): Layer | null {
  const names = path.split('/');
  let isSecret = false;
  for (const [at, name] of names.entries()) {
    const layer = layerOfEntry(names[at - 1] ?? '', name);
    if (layer === 'protected') return layer;
    isSecret ||= layer === 'secret';
  }
  return isSecret ? 'secret' : null;
}

/**
 * The name as the most forgiving disk would read it: letter case folded, the characters HFS+ leaves out of a comparison
 * removed, and the trailing dots, spaces and stream names that Windows drops. Refusing one name too many costs nothing.
 */
function plainName(name: string): string {
  if (/^\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name)) return name;
  const folded = name.normalize('NFKC').toLowerCase().replace(ignorable, '');
  const cut = folded.replace(/:.*$/s, '').replace(/[. ]+$/, '');
  return cut === 'git~1' ? '.git' : cut;
}
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

const ordinaryNames = new Set([
  ...['node_modules', 'dist', 'build', 'out', '.next', '.nuxt', '.svelte-kit', '.cache', '.turbo', 'coverage', 'target'],
  ...['__pycache__', '.venv', 'venv', '.tox', '.ds_store'],
]);

/** What is left out of listings unless asked for, or unless an ignore file of the project brings it back (`!build`). */
export function isOrdinaryIgnored(name: string): boolean {
  return ordinaryNames.has(name) || name.endsWith('.min.js') || name.endsWith('.map') || name === '.DS_Store';
}

interface Power {
  reason: string;
  test: RegExp;
}

/** Paths, in lower case, whose content a program later runs or obeys with more rights than the caller has. */
const powers: readonly Power[] = [
  {
    reason: 'a CI service runs this file with the rights of the repository',
    test: /^(\.github\/(workflows|actions)\/|\.gitlab-ci\.ya?ml$|\.gitlab\/ci\/|\.circleci\/|\.buildkite\/|\.forgejo\/workflows\/|\.gitea\/workflows\/|\.woodpecker|\.drone\.ya?ml$|\.travis\.yml$|appveyor\.yml$|azure-pipelines[^/]*\.ya?ml$|bitbucket-pipelines\.yml$|jenkinsfile[^/]*$|\.ci\/)|(^|\/)action\.ya?ml$/,
  },
  {
    reason: 'the editor runs or obeys this file when the project is opened',
    test: /(^|\/)(\.vscode\/(tasks|settings|launch|extensions|mcp)\.json$|\.idea\/|\.zed\/|\.nvim\.lua$|\.exrc$|\.devcontainer\/|\.devcontainer\.json$|[^/]*\.code-workspace$)/,
  },
  {
    reason: 'coding agents read this file as instructions or start programs from it',
    test: /(^|\/)(\.cursor\/|\.claude\/|\.codex\/|\.gemini\/|\.windsurf\/|\.continue\/|\.roo\/|\.kiro\/|\.opencode\/|\.mcp\.json$|opencode\.jsonc?$|agents(\.override)?\.md$|claude(\.local)?\.md$|gemini\.md$|\.(cursor|windsurf|cline|roo|goose)(rules|hints)[^/]*$|\.github\/(copilot-instructions\.md$|instructions\/|prompts\/|agents\/|chatmodes\/|copilot\/))/,
  },
  {
    reason: 'the build tool runs what stands in this file',
    test: /(^|\/)((gnu)?makefile$|[^/]*\.mk$|\.?justfile$|taskfile\.ya?ml$|rakefile$|tasks\.py$|noxfile\.py$|build\.rs$|gradlew(\.bat)?$|(build|settings|init)\.gradle(\.kts)?$|gradle\/wrapper\/|\.mvn\/|pom\.xml$|build\.sbt$|mix\.exs$|cmakelists\.txt$|mvnw(\.cmd)?$|setup\.py$|conftest\.py$|\.pnpmfile\.c?js$|\.yarnrc(\.yml)?$|bunfig\.toml$|\.cargo\/config(\.toml)?$|pip\.conf$)/,
  },
  {
    reason: 'git runs this file at a commit, a push or a checkout',
    test: /(^|\/)(\.husky\/|\.git-?hooks\/|\.?lefthook(-local)?\.(ya?ml|toml|json)$|\.pre-commit-config\.ya?ml$|\.pre-commit-hooks\.ya?ml$|\.gitattributes$|\.gitmodules$|\.gitconfig$|\.lintstagedrc[^/]*$|\.huskyrc[^/]*$)/,
  },
  {
    reason: 'a shell runs this file by itself',
    test: /(^|\/)(\.(bash|zsh)(rc|env|_profile|_login|_logout|_aliases)$|\.zprofile$|\.zlogin$|\.profile$|\.kshrc$|\.config\/fish\/|config\.fish$|\.mise\.toml$|mise\.toml$|\.tool-versions$|\.direnvrc$|\.envrc[^/]*$|microsoft\.powershell_profile\.ps1$)/,
  },
];

/** In plain words, why writing this path needs the owner; null when nothing later runs it with more power. */
export function powerful(path: string): string | null {
  const plain = path.split('/').map(plainName).join('/');
  return powers.find((power) => power.test.test(plain))?.reason ?? null;
}
