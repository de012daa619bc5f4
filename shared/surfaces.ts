// The three tool surfaces over one list of operations, as data: names and order are a contract with clients that cache them.
import type { Scope } from './contract.ts';

export type Domain = 'code' | 'exec' | 'git' | 'desktop' | 'media' | 'browser' | 'game' | 'workflow' | 'schedule' | 'web';

/** One tool of the compact surface that carries several operations. */
export interface Gateway {
  name: string;
  domain: Domain;
  /** The least that any of its operations needs; each operation is judged by its own. */
  scope: Exclude<Scope, 'owner'>;
  about: string;
  /** Every name of the contract, also of what this version does not build. */
  operations: readonly string[];
}

const listed = (names: string): readonly string[] => names.split(/\s+/).filter((name) => name !== '');

/** In the order of the compact surface, after project_overview and dodo_discover (surfaces 2). */
export const gateways: readonly Gateway[] = [
  {
    name: 'dodo_read',
    domain: 'code',
    scope: 'read',
    about: 'Reads and searches the project: files, history, jobs, notes.',
    operations: listed(`list_files read_files read_image read_instructions search_code glob_files symbols references diagnostics
      change_history approval_status environment_info todo_read handoff_read job_status job_output job_wait list_jobs`),
  },
  {
    name: 'dodo_write',
    domain: 'code',
    scope: 'write',
    about: 'Changes files of the project; every change can be undone.',
    operations: listed(`write_file edit_file apply_patch replace_in_files delete_path move_path make_directory preview_changes
      apply_changes rollback_changes preview_rename todo_write handoff_write agent_write agent_snapshot_rollback`),
  },
  {
    name: 'dodo_exec',
    domain: 'exec',
    scope: 'exec',
    about: 'Runs programs in the project.',
    operations: listed(`run_command run_commands run_task exec_command job_input job_cancel runtime_task_start runtime_task_cancel
      agent_exec`),
  },
  {
    name: 'dodo_git_read',
    domain: 'git',
    scope: 'read',
    about: 'Reads the git repository.',
    operations: listed('git_status git_diff git_log'),
  },
  { name: 'dodo_git_write', domain: 'git', scope: 'exec', about: 'Commits to the git repository.', operations: ['git_commit'] },
  {
    name: 'dodo_desktop_view',
    domain: 'desktop',
    scope: 'read',
    about: 'Looks at the desktop.',
    operations: listed('desktop_status desktop_windows desktop_capture desktop_accessibility'),
  },
  { name: 'dodo_desktop_control', domain: 'desktop', scope: 'exec', about: 'Acts on the desktop.', operations: ['desktop_action'] },
  {
    name: 'dodo_assist_read',
    domain: 'code',
    scope: 'read',
    about: 'Reads what helps to understand the project: context, evidence, memory, runs.',
    operations: listed(`subagent_status subagent_result context_for_task analyze_impact read_symbol context_query context_evidence
      context_status memory_search memory_inspect memory_status runtime_session_status runtime_task_observe runtime_snapshot
      runtime_evidence runtime_diagnose agent_run_status agent_read agent_snapshot_create agent_snapshot_compare agent_skill_search
      agent_skill_inspect brain_status brain_query brain_symbol`),
  },
  {
    name: 'dodo_assist_change',
    domain: 'code',
    scope: 'write',
    about: 'Records plans, hypotheses and evidence, and steers runs.',
    operations: listed(`subagent_spawn subagent_control preview_refactor verify_changes memory_propose memory_learning_propose
      runtime_session_open runtime_session_close agent_run_open agent_plan_set agent_hypothesis_open agent_intent_acquire
      agent_intent_release agent_hypothesis_judge agent_skill_propose agent_run_control brain_rebuild brain_pause brain_cancel`),
  },
  {
    name: 'dodo_media',
    domain: 'media',
    scope: 'read',
    about: 'Opens and reads pictures, sound and other resources.',
    operations: listed(`multimodal_status screen_observe image_view media_open media_extract media_transcribe media_subtitles
      media_search media_read media_job media_close speech_synthesize resource_inspect resource_read resource_read_range
      resource_preview resource_extract resource_transform`),
  },
  {
    name: 'dodo_browser',
    domain: 'browser',
    scope: 'read',
    about: 'Looks at pages in a browser of its own.',
    operations: listed('browser_session browser_observe browser_action runtime_browser_collect'),
  },
  { name: 'dodo_game', domain: 'game', scope: 'exec', about: 'Plays a game step by step.', operations: listed('game_session game_step') },
  { name: 'dodo_workflow_read', domain: 'workflow', scope: 'read', about: 'Finds workflows.', operations: ['workflow_search'] },
  { name: 'dodo_workflow_write', domain: 'workflow', scope: 'write', about: 'Saves workflows.', operations: ['workflow_save'] },
  { name: 'dodo_workflow_run', domain: 'workflow', scope: 'exec', about: 'Runs workflows.', operations: ['workflow_run'] },
  { name: 'dodo_schedule', domain: 'schedule', scope: 'exec', about: 'Proposes schedules.', operations: ['schedule_propose'] },
  { name: 'dodo_web', domain: 'web', scope: 'read', about: 'Fetches an address of the web.', operations: ['fetch_url'] },
];

/** Stand beside the gateways and are reached through none. */
export const OVERVIEW = 'project_overview';
export const DISCOVER = 'dodo_discover';

/** The compact surface whole. Always all of it: clients keep the list, and a name that comes later would go unseen. */
export const compactNames: readonly string[] = [OVERVIEW, DISCOVER, ...gateways.map(({ name }) => name)];

/** What the hybrid surface lists after the compact one, so that a client that cuts the list loses only duplicates. */
export const hybridDirect: readonly string[] = listed(`list_files read_files read_instructions search_code glob_files write_file
  edit_file apply_patch replace_in_files delete_path move_path make_directory symbols references preview_changes apply_changes
  rollback_changes git_status git_diff git_log git_commit run_command run_commands run_task exec_command job_status job_output
  job_wait job_cancel list_jobs`);

/** Listed only where the owner lets clients use sub-agents. */
export const subagentOperations: ReadonlySet<string> = new Set([
  'subagent_status',
  'subagent_result',
  'subagent_spawn',
  'subagent_control',
]);

const byOperation = new Map<string, Gateway>();

/** The one gateway that carries an operation; undefined for the two that stand alone, and for the owner's. */
export const gatewayOf = (operation: string): Gateway | undefined => byOperation.get(operation);

// Checked when the module loads, so that a bad table fails the build and not a request.
for (const gateway of gateways)
  for (const operation of gateway.operations) {
    if (byOperation.has(operation)) throw new Error(`${operation} is behind two gateways.`);
    if (compactNames.includes(operation)) throw new Error(`${operation} cannot be behind a gateway.`);
    byOperation.set(operation, gateway);
  }
for (const name of hybridDirect) if (!byOperation.has(name)) throw new Error(`${name} has no gateway and cannot be listed directly.`);
if (new Set([...compactNames, ...hybridDirect]).size !== compactNames.length + hybridDirect.length)
  throw new Error('A tool of the hybrid surface is listed twice.');
