const DIGEST = 'A digest, of which nobody learns what it was made from.'
const SEALED = 'Sealed with the secret key; what is in it is no address.'
const OWN = 'Made by the program: a name of ours, a number or an id.'

/** Columns in which no address can stand, each with the reason. All others that can hold text are searched. */
export const FREE_OF_ADDRESSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  api_keys: { permission: OWN, token_prefix: OWN, token_sha256: DIGEST, token_end: OWN },
  deliveries: { state: OWN, parked_for: 'Names of mail servers.' },
  digest_keys: { sealed_key: SEALED },
  domain_keys: { private_key: SEALED, public_record: OWN, selector: OWN, state: OWN },
  editor_documents: { html_hash: DIGEST, text_hash: DIGEST },
  editor_images: { hash: DIGEST },
  emails: { last_event: OWN, trace_context: OWN },
  emails_by_status: { status: OWN },
  idempotency_keys: { body_sha256: DIGEST },
  inbox_references: { name: DIGEST },
  inbox_subjects: { name: DIGEST },
  invitations: { token_sha256: DIGEST, link_sha256: DIGEST },
  jobs: { trace_context: OWN },
  oauth_codes: { code_sha256: DIGEST },
  oauth_clients: { secret_sha256: DIGEST },
  oauth_keys: { private_key: SEALED, public_key: 'A public key.' },
  oauth_refresh_tokens: { token_sha256: DIGEST },
  outbox: { type: OWN, trace_context: OWN },
  passkeys: { public_key: 'A public key.', credential_id: OWN },
  personal_data_requests: {
    ...{ sealed_address: SEALED, digest: DIGEST, action: OWN, status: OWN, file: OWN },
    ...{ reached: 'Keys of rows that were searched, until the request is completed.', counts: OWN },
  },
  retired_secret_keys: { mark: DIGEST, sealed_key: SEALED },
  schema_migrations: { name: OWN, checksum: DIGEST },
  search_changes: { kind: OWN },
  search_documents: { kind: OWN },
  secret_key_mark: { mark: DIGEST },
  sign_in_links: { token_sha256: DIGEST, method: OWN },
  spent_challenges: { sha256: DIGEST },
  suppressions: { origin: OWN },
  webhook_deliveries: { state: OWN },
  webhook_secrets: { secret: SEALED },
}
