/** The errors of the protocol, with their status. Clients know them by these names, and not as problems of the API. */
const STATUS = {
  invalid_request: 400,
  invalid_scope: 400,
  invalid_grant: 400,
  invalid_target: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  access_denied: 400,
  invalid_client: 401,
  too_many_requests: 429,
  server_error: 500,
  temporarily_unavailable: 503,
} as const

export type OAuthErrorCode = keyof typeof STATUS

/** Something that the program on the other side should know. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode

  constructor(code: OAuthErrorCode, message: string) {
    super(message)
    this.code = code
  }

  get status(): number {
    return STATUS[this.code]
  }

  toJSON() {
    return { error: this.code, error_description: this.message }
  }
}
