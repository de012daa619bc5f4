// The layers as data: every name of the contract, every spelling that means one, and the names that only look like one.
import { describe, expect, it } from 'vitest';
import { isOrdinaryIgnored, layerOf, powerful } from './policy.ts';

describe('layerOf', () => {
  it.each([
    ...['.env', '.env.local', 'prod.env', 'app/.env.production', '.envrc', 'a.pem', 'a.key', 'a.p12', 'a.pfx', 'a.jks', 'a.keystore'],
    ...['id_rsa', 'id_rsa.pub', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'a.kdbx', '.npmrc', '.pypirc', '.netrc', '_netrc', '.git-credentials'],
    ...['.ssh', '.ssh/config', '.gnupg/x', '.aws/credentials', '.kube/config', '.docker/config.json', 'secrets.json', 'secrets.yml'],
    ...['secrets.yaml', 'credentials.json', 'service-account.json', 'service-account-prod.json', 'terraform.tfstate', 'x.tfstate.backup'],
  ])('is secret by the contract: %s', (path) => {
    expect(layerOf(path)).toBe('secret');
  });

  it.each([
    ...['key.asc', 'putty.ppk', '.htpasswd', 'terraform.tfvars', 'prod.auto.tfvars', '.dockerconfigjson', 'kubeconfig', '.config/gcloud/x'],
    ...['.azure/accessTokens.json', '.pgpass', '.config/gh/hosts.yml', 'AuthKey.p8', '.cargo/credentials.toml', 'client_secret_1.json'],
  ])('is secret although often forgotten: %s', (path) => {
    expect(layerOf(path)).toBe('secret');
  });

  it.each(['.ENV', '.Env.Local', 'ID_RSA', 'a.PEM', '.env.', '.env ', '.env::$DATA', '.e\u200cnv', '.ＥＮＶ', '.SSH/config'])(
    'is secret however it is spelled: %j',
    (path) => {
      expect(layerOf(path)).toBe('secret');
    },
  );

  it.each(['.git', '.git/config', 'sub/.git/hooks/x', '.GIT/config', '.g\u200cit/config', 'git~1/config', '.git./x', '.git/.env'])(
    'is protected: %j',
    (path) => {
      expect(layerOf(path)).toBe('protected');
    },
  );

  it.each([
    ...['.env.example', '.env.sample', '.env.local.example', 'app.env.template', 'env.dist', '.gitignore', '.github/w.yml', 'src/env.ts'],
    ...['config.json', 'config', 'key.ts', 'secrets.ts', 'credentials.ts', 'environment', 'a.environment', 'keyboard.key.ts', 'asc', '.'],
    ...['monkey', 'id.ts', 'tfvars.md'],
  ])('is open: %s', (path) => {
    expect(layerOf(path)).toBeNull();
  });
});

describe('isOrdinaryIgnored', () => {
  it('knows build output and leaves source alone', () => {
    for (const name of ['node_modules', 'dist', 'a.min.js', 'a.js.map', '.DS_Store']) expect(isOrdinaryIgnored(name)).toBe(true);
    for (const name of ['src', 'a.js', '.github', 'distribution', 'map']) expect(isOrdinaryIgnored(name)).toBe(false);
  });
});

describe('powerful', () => {
  it.each([
    ...['.github/workflows/ci.yml', '.gitlab-ci.yml', 'Jenkinsfile', '.circleci/config.yml', '.ci/run', '.vscode/tasks.json'],
    ...[
      '.vscode/settings.json',
      'sub/.vscode/launch.json',
      'x.code-workspace',
      '.cursor/rules/a.mdc',
      '.claude/settings.json',
      '.mcp.json',
    ],
    ...[
      'AGENTS.md',
      'sub/CLAUDE.md',
      'GEMINI.md',
      '.github/copilot-instructions.md',
      '.cursorrules',
      'Makefile',
      'makefile',
      'justfile',
      'gradlew',
      'build.gradle',
      'app/build.gradle.kts',
      'settings.gradle',
      'gradle/wrapper/gradle-wrapper.properties',
      '.mvn/extensions.xml',
      'pom.xml',
      'CMakeLists.txt',
      'sub/mvnw.cmd',
      '.git-hooks/pre-commit',
    ],
    ...['.husky/pre-commit', 'lefthook.yml', '.pre-commit-config.yaml', '.bashrc', '.zshrc', '.profile', '.gitattributes', 'agents.MD'],
  ])('S10 asks before %s is written', (path) => {
    expect(powerful(path)).toMatch(/^[a-z].*[a-z]$/i);
  });

  it.each([
    'Dockerfile',
    'src/a.ts',
    'package.json',
    'README.md',
    '.vscode/snippets.json',
    'docs/agents.mdx',
    'src/makefile.ts',
    '.gitignore',
  ])('leaves %s to an ordinary change', (path) => {
    expect(powerful(path)).toBeNull();
  });
});
