import type { Config } from './config.ts'
import { SettingError } from './settings.ts'

/** A URL without a model, or the other way round, would be agents that never do anything. */
export function requireModel({ AGENT_URL, AGENT_MODEL }: Config) {
  if (AGENT_URL && !AGENT_MODEL) throw new SettingError('POSTWREN_AGENT_MODEL is needed with POSTWREN_AGENT_URL.')
  if (AGENT_MODEL && !AGENT_URL) throw new SettingError('POSTWREN_AGENT_URL is needed with POSTWREN_AGENT_MODEL.')
  if (!AGENT_URL) return
  const { username, password, search, hash } = new URL(AGENT_URL)
  if (username || password || search || hash)
    throw new SettingError('POSTWREN_AGENT_URL must be a plain URL. A key is for POSTWREN_AGENT_KEY.')
}

/** Whoever gets them must know that they are ours. */
export function requireOperatorSecrets({ ATTEMPTS, ATTEMPTS_SECRET, ...config }: Config) {
  if (ATTEMPTS.kind === 'webhook' && !ATTEMPTS_SECRET)
    throw new SettingError('POSTWREN_ATTEMPTS_SECRET is needed when POSTWREN_ATTEMPTS is a URL.')
  const { OPERATOR_WEBHOOK, OPERATOR_WEBHOOK_SECRET } = config
  if (!OPERATOR_WEBHOOK) return
  if (!OPERATOR_WEBHOOK_SECRET)
    throw new SettingError('POSTWREN_OPERATOR_WEBHOOK_SECRET is needed with POSTWREN_OPERATOR_WEBHOOK.')
  const { username, password, hash } = new URL(OPERATOR_WEBHOOK)
  if (username || password || hash)
    throw new SettingError(
      'POSTWREN_OPERATOR_WEBHOOK must be a plain URL: requests are signed with POSTWREN_OPERATOR_WEBHOOK_SECRET.',
    )
}

/** It is in logs and in what `doctor` says; secrets are for the headers. */
export function requireCollector({ OTLP_URL }: Config) {
  if (!OTLP_URL) return
  const { username, password, search, hash } = new URL(OTLP_URL)
  if (username || password || search || hash)
    throw new SettingError('POSTWREN_OTLP_URL must be a plain URL. A key is for POSTWREN_OTLP_HEADERS.')
}
