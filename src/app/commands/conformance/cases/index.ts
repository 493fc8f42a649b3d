import type { Group } from '../suite/case.ts'
import { automations, events } from './automations.ts'
import { batches } from './batches.ts'
import { broadcasts } from './broadcasts.ts'
import { contacts } from './contacts.ts'
import { deliveries } from './deliveries.ts'
import { domains } from './domains.ts'
import { editor } from './editor.ts'
import { emails } from './emails.ts'
import { idempotency } from './idempotency.ts'
import { inboxes } from './inboxes.ts'
import { keys, oauth } from './keys.ts'
import { logs, usage } from './logs.ts'
import { oauthProtocol } from './oauth.ts'
import { receiving } from './receiving.ts'
import { limits, requests } from './requests.ts'
import { audiences, segments } from './segments.ts'
import { submission } from './submission.ts'
import { suppressions } from './suppressions.ts'
import { templates } from './templates.ts'
import { properties, topics } from './topics.ts'
import { webhooks } from './webhooks.ts'

/** Every group, in the order in which they run. */
export const GROUPS: readonly Group[] = [
  ...[requests, emails, batches, idempotency, receiving, domains, keys, oauth, templates, broadcasts, contacts],
  ...[segments, audiences, topics, properties, suppressions, webhooks, deliveries, automations, events, logs, usage],
  ...[inboxes, editor, oauthProtocol, submission, limits],
]
