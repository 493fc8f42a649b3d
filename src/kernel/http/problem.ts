/** Every error a caller can see. Adding a row here adds it to the OpenAPI document. */
export const PROBLEMS = {
  malformed_request: { status: 400, name: 'validation_error' },
  invalid_idempotency_key: { status: 400, name: 'invalid_idempotency_key' },
  missing_api_key: { status: 401, name: 'missing_api_key' },
  restricted_api_key: { status: 401, name: 'restricted_api_key' },
  /** A client that gets it refreshes its token: it goes by the status and `WWW-Authenticate`, the contract has no name of its own for it. */
  invalid_access_token: { status: 401, name: 'invalid_api_key' },
  invalid_api_key: { status: 403, name: 'invalid_api_key' },
  /** A key whose time is over. */
  inactive_api_key: { status: 403, name: 'restricted_api_key' },
  /** The operator has suspended the team, or it is about to be deleted. */
  suspended_api_key: { status: 403, name: 'suspended_api_key' },
  missing_metrics_token: { status: 401, name: 'missing_metrics_token' },
  invalid_metrics_token: { status: 403, name: 'invalid_metrics_token' },
  invalid_passkey: { status: 403, name: 'invalid_passkey' },
  /** A link that signs in, or that proves who somebody is. */
  invalid_sign_in_link: { status: 403, name: 'invalid_sign_in_link' },
  invalid_permission: { status: 403, name: 'invalid_permission' },
  verification_required: { status: 403, name: 'verification_required' },
  domain_taken: { status: 403, name: 'validation_error' },
  host_not_allowed: { status: 403, name: 'validation_error' },
  /** A page of another site asks. */
  origin_not_allowed: { status: 403, name: 'origin_not_allowed' },
  /** Only pages of the dashboard may ask this. */
  dashboard_only: { status: 403, name: 'dashboard_only' },
  /** The policy of a key, or of an app, does not allow it. The message names the rule. */
  policy_refused: { status: 403, name: 'policy_refused' },
  sender_not_allowed: { status: 403, name: 'validation_error' },
  /** Mail of the installation is handed in by a team. */
  system_mail_refused: { status: 403, name: 'validation_error' },
  quota_exceeded: { status: 403, name: 'validation_error' },
  /** Only where nothing leaves, or only where something can. */
  not_in_this_mode: { status: 403, name: 'validation_error' },
  not_found: { status: 404, name: 'not_found' },
  method_not_allowed: { status: 405, name: 'method_not_allowed' },
  concurrent_idempotent_requests: { status: 409, name: 'concurrent_idempotent_requests' },
  invalid_idempotent_request: { status: 409, name: 'invalid_idempotent_request' },
  resource_locked: { status: 409, name: 'resource_locked' },
  /** Somebody was there before, or its time is over: what waits for approval is decided about once. */
  already_decided: { status: 409, name: 'already_decided' },
  /** Another save came after the version that was edited: optimistic locking. */
  version_conflict: { status: 409, name: 'version_conflict' },
  body_too_large: { status: 413, name: 'validation_error' },
  /** The team lives in another cell: the message names it. */
  wrong_cell: { status: 421, name: 'wrong_cell' },
  unsupported_content_type: { status: 415, name: 'validation_error' },
  invalid_attachment: { status: 422, name: 'invalid_attachment' },
  invalid_parameter: { status: 422, name: 'invalid_parameter' },
  missing_required_field: { status: 422, name: 'missing_required_field' },
  missing_required_parameter: { status: 422, name: 'missing_required_parameter' },
  validation_error: { status: 422, name: 'validation_error' },
  daily_quota_exceeded: { status: 429, name: 'daily_quota_exceeded' },
  monthly_quota_exceeded: { status: 429, name: 'monthly_quota_exceeded' },
  rate_limit_exceeded: { status: 429, name: 'rate_limit_exceeded' },
  application_error: { status: 500, name: 'application_error' },
  service_unavailable: { status: 503, name: 'service_unavailable' },
  /** Nothing is wrong: another process, or the next one, answers. */
  stopping: { status: 503, name: 'service_unavailable' },
} as const

export type ProblemKind = keyof typeof PROBLEMS

/**
 * Something the caller should know. Thrown with a kind and a sentence; only this folder turns it into a status and a body.
 * Whatever else is thrown is a defect: logged with its cause, answered with a bare 500.
 */
export class Problem extends Error {
  readonly kind: ProblemKind
  /** Of the answer, such as when to try again. */
  readonly headers: Readonly<Record<string, string | number>>

  constructor(kind: ProblemKind, message: string, headers: Readonly<Record<string, string | number>> = {}) {
    super(message)
    this.kind = kind
    this.headers = headers
  }

  get status(): number {
    return PROBLEMS[this.kind].status
  }

  /** Key order as the clients have recorded it. */
  toJSON() {
    return { statusCode: this.status, message: this.message, name: PROBLEMS[this.kind].name }
  }
}

/** `found(row, 'Contact')`: the row, or the 404 that says which thing is missing. */
export function found<Thing>(thing: Thing | undefined | false, name: string): Thing {
  if (thing === undefined || thing === false) throw new Problem('not_found', `${name} not found`)
  return thing
}
