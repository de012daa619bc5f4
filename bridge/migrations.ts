// The numbered, forward-only history of the store's tables. A landed entry is never edited.
import type { Migration } from './base/store/store.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE projects (
  project_id TEXT PRIMARY KEY, name TEXT NOT NULL, root TEXT NOT NULL, workspace_id TEXT NOT NULL,
  device TEXT NOT NULL, inode TEXT NOT NULL, birth_ns TEXT,
  added_at INTEGER NOT NULL, removed_at INTEGER, last_call_at INTEGER
) STRICT;
CREATE UNIQUE INDEX projects_root ON projects (root) WHERE removed_at IS NULL;

CREATE TABLE events (
  position INTEGER PRIMARY KEY, session TEXT NOT NULL, generation TEXT NOT NULL, sequence INTEGER NOT NULL,
  kind TEXT NOT NULL, project_id TEXT, run TEXT, at INTEGER NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  UNIQUE (session, generation, sequence)
) STRICT;
CREATE INDEX events_project ON events (project_id, position);
CREATE INDEX events_kind ON events (kind, position);

CREATE TABLE idempotency (
  reservation TEXT PRIMARY KEY, principal TEXT NOT NULL, workspace TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL,
  arguments_hash TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('reserved', 'settled')), receipt TEXT,
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  UNIQUE (principal, workspace, operation, key)
) STRICT;

CREATE TABLE approvals (
  approval_id TEXT PRIMARY KEY, status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'expired', 'used')),
  project_id TEXT, principal TEXT NOT NULL, caller_kind TEXT NOT NULL, caller_name TEXT NOT NULL, operation TEXT NOT NULL,
  summary TEXT NOT NULL, arguments TEXT NOT NULL, arguments_hash TEXT NOT NULL, binding TEXT NOT NULL,
  reasons TEXT NOT NULL, files TEXT NOT NULL, touches TEXT, workspace_id TEXT,
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, decided_at INTEGER, decided_by TEXT, note TEXT, grant_id TEXT
) STRICT;
CREATE INDEX approvals_binding ON approvals (principal, binding, status);
CREATE INDEX approvals_status ON approvals (status, created_at);

CREATE TABLE grants (
  grant_id TEXT PRIMARY KEY, status TEXT NOT NULL CHECK (status IN ('active', 'expired', 'used_up', 'revoked')),
  principal TEXT NOT NULL, caller_name TEXT NOT NULL, project_id TEXT NOT NULL, workspace_id TEXT NOT NULL, operation TEXT NOT NULL,
  arguments TEXT NOT NULL, paths TEXT NOT NULL, program TEXT, host TEXT, reasons TEXT, approval_id TEXT,
  created_at INTEGER NOT NULL, created_by TEXT NOT NULL, until INTEGER NOT NULL, uses_max INTEGER, uses INTEGER NOT NULL,
  last_used_at INTEGER, revoked_at INTEGER
) STRICT;
CREATE INDEX grants_active ON grants (principal, project_id, operation) WHERE status = 'active';

CREATE TABLE project_access (
  project_id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, ceiling TEXT NOT NULL, trust TEXT NOT NULL, profiles TEXT, egress TEXT NOT NULL
) STRICT;

CREATE TABLE tokens (
  token_id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL, project_ids TEXT,
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER
) STRICT;

CREATE TABLE console_links (digest TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT;

CREATE TABLE console_sessions (
  digest TEXT PRIMARY KEY, label TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE plans (
  plan_id TEXT PRIMARY KEY, project_id TEXT NOT NULL, epoch TEXT NOT NULL, principal TEXT NOT NULL, operation TEXT NOT NULL,
  plan_hash TEXT NOT NULL, payload TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_by TEXT
) STRICT;

CREATE TABLE changesets (
  changeset_id TEXT PRIMARY KEY, project_id TEXT NOT NULL, principal TEXT NOT NULL, caller_name TEXT NOT NULL,
  operation TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('apply', 'undo')),
  status TEXT NOT NULL CHECK (status IN ('applying', 'committed', 'failed', 'recovery_required')),
  summary TEXT NOT NULL, plan_id TEXT, undoes TEXT, reservation TEXT, receipt TEXT,
  unrecovered TEXT,
  created_at INTEGER NOT NULL, committed_at INTEGER, ordinal INTEGER UNIQUE
) STRICT;
CREATE INDEX changesets_project ON changesets (project_id, created_at);
CREATE INDEX changesets_undoes ON changesets (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX changesets_reservation ON changesets (reservation) WHERE reservation IS NOT NULL;
CREATE INDEX changesets_open ON changesets (project_id) WHERE status IN ('applying', 'recovery_required');

CREATE TABLE changeset_files (
  changeset_id TEXT NOT NULL REFERENCES changesets, position INTEGER NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('create', 'replace', 'delete', 'move', 'mkdir', 'rmdir')),
  path TEXT NOT NULL, dest_path TEXT, before_hash TEXT, after_hash TEXT, before_meta TEXT, temp_name TEXT,
  PRIMARY KEY (changeset_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX changeset_files_path ON changeset_files (path);
CREATE INDEX changeset_files_dest ON changeset_files (dest_path) WHERE dest_path IS NOT NULL;

CREATE TABLE clients (
  client_id TEXT PRIMARY KEY, name TEXT NOT NULL, redirect_host TEXT NOT NULL, scopes TEXT NOT NULL, project_ids TEXT,
  created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER
) STRICT;

CREATE TABLE consents (
  consent_id TEXT PRIMARY KEY, client_id TEXT NOT NULL, name TEXT NOT NULL, redirect_host TEXT NOT NULL, scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, allowed INTEGER, project_ids TEXT, proof_digest TEXT
) STRICT;

CREATE TABLE oauth_artifacts (
  model TEXT NOT NULL, id TEXT NOT NULL, payload TEXT NOT NULL, client_id TEXT, grant_id TEXT, uid TEXT, expires_at INTEGER,
  PRIMARY KEY (model, id)
) STRICT;
CREATE INDEX oauth_artifacts_grant ON oauth_artifacts (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_artifacts_client ON oauth_artifacts (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX oauth_artifacts_expiry ON oauth_artifacts (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE oauth_keys (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE blobs (hash TEXT PRIMARY KEY, bytes INTEGER NOT NULL, used_at INTEGER NOT NULL, dropped_at INTEGER) STRICT, WITHOUT ROWID;
`,
  },
  {
    version: 2,
    sql: `
CREATE TABLE todo_lists (
  project_id TEXT NOT NULL, principal TEXT NOT NULL, items TEXT NOT NULL, updated_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, principal)
) STRICT, WITHOUT ROWID;

CREATE TABLE handoffs (
  handoff_id TEXT PRIMARY KEY, project_id TEXT NOT NULL, principal TEXT NOT NULL, body TEXT NOT NULL, created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX handoffs_desk ON handoffs (project_id, principal, created_at);
`,
  },
  {
    version: 3,
    sql: `
CREATE TABLE jobs (
  job_id TEXT PRIMARY KEY, project_id TEXT NOT NULL, principal TEXT NOT NULL, caller_name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('shell', 'argv')), program TEXT NOT NULL, args TEXT NOT NULL, cwd TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'exited', 'canceled', 'timed_out', 'interrupted_on_restart')),
  exit_code INTEGER, signal TEXT, created_at INTEGER NOT NULL, ended_at INTEGER, timeout_ms INTEGER NOT NULL, pid INTEGER,
  reservation TEXT
) STRICT;
CREATE INDEX jobs_project ON jobs (project_id, created_at);
CREATE INDEX jobs_running ON jobs (status) WHERE status = 'running';
CREATE INDEX jobs_reservation ON jobs (reservation) WHERE reservation IS NOT NULL;
`,
  },
  {
    version: 4,
    sql: `
-- A blob can be a range of another one, so that many small ones are written and flushed as one file.
ALTER TABLE blobs ADD COLUMN pack TEXT;
ALTER TABLE blobs ADD COLUMN at INTEGER;
ALTER TABLE blobs ADD COLUMN is_pack INTEGER NOT NULL DEFAULT 0;
CREATE INDEX blobs_pack ON blobs (pack) WHERE pack IS NOT NULL;

-- What stands at a path before and after when it is no plain file (link, directory), and the mode that a change left.
ALTER TABLE changeset_files ADD COLUMN before_kind TEXT;
ALTER TABLE changeset_files ADD COLUMN after_kind TEXT;
ALTER TABLE changeset_files ADD COLUMN after_meta TEXT;
`,
  },
  {
    version: 5,
    sql: `
-- What stood at each path of a project, from one generation of its manifest until another; hash: of the bytes, or of stamps (blind).
CREATE TABLE manifest_entries (
  project_id TEXT NOT NULL, path TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER,
  kind TEXT NOT NULL CHECK (kind IN ('file', 'link', 'directory', 'blind')), why TEXT, is_folder INTEGER NOT NULL, is_racy INTEGER NOT NULL,
  dev REAL NOT NULL, ino REAL NOT NULL, size REAL NOT NULL, mtime_ms REAL NOT NULL, ctime_ms REAL NOT NULL, meta TEXT, hash TEXT,
  PRIMARY KEY (project_id, path, since)
) STRICT, WITHOUT ROWID;
CREATE INDEX manifest_entries_ended ON manifest_entries (project_id, until) WHERE until IS NOT NULL;

-- A look at a project before a program runs in it, open until what it did is settled.
CREATE TABLE observations (
  observation_id TEXT PRIMARY KEY, project_id TEXT NOT NULL, generation INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'settled')), principal TEXT NOT NULL, caller_name TEXT NOT NULL,
  operation TEXT NOT NULL, label TEXT NOT NULL, changeset_id TEXT, created_at INTEGER NOT NULL, settled_at INTEGER
) STRICT;
CREATE INDEX observations_open ON observations (project_id, generation) WHERE state = 'open';
`,
  },
];
