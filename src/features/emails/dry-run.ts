import type { Static } from 'typebox'
import type { Actor } from '../../kernel/http/actor.ts'
import { keepsMail } from '../../platform/settings/config.ts'
import { endpoint } from '../definitions.ts'
import { judgeNow } from '../policies/judging.ts'
import { policyGone, refusalMessage } from '../policies/refused.ts'
import { requiresApproval } from '../policies/rules.ts'
import { DryRun } from '../policies/schema.ts'
import { MAX_EMAIL_BYTES } from './endpoints.ts'
import { prepare } from './prepare.ts'
import { type EmailRequest, SendEmail } from './schema.ts'
import type { PreparingServices } from './services.ts'

/** What would become of an email now. It is prepared as if it were sent, and refused for the same reasons; nothing is written and nothing counted. */
async function tryEmail(
  services: PreparingServices,
  actor: Actor,
  request: EmailRequest,
): Promise<Static<typeof DryRun>> {
  const { db, config, publicUrl } = services
  const submission = { emails: [await prepare(services, actor, request)] }
  const judge = await judgeNow(db, [submission], { keepsMail: (team) => keepsMail(config, team) })
  const stored = judge.policyOf(submission)
  if (actor.policyId && !stored) throw policyGone()
  const refusals = judge.objections(submission).map(({ refusal }) => ({
    rule: refusal.rule,
    message: refusalMessage(publicUrl(), stored!, refusal),
  }))
  const isRefused = refusals.length > 0 && !stored?.policy.dry_run
  const isHeld = stored !== null && requiresApproval(stored.policy)
  return { object: 'dry_run', result: isRefused ? 'refuse' : isHeld ? 'hold' : 'send', refusals }
}

export const dryRunEndpoint = endpoint({
  id: 'emails.dry-run',
  access: 'send',
  audited: false,
  route: 'POST /emails/dry-run',
  summary: 'Check whether an email would be sent',
  description:
    'Takes what `POST /emails` takes, and says what the policy of the key makes of it. Nothing is sent or counted.',
  maxBodyBytes: MAX_EMAIL_BYTES,
  body: SendEmail,
  reply: DryRun,
  run: ({ body, services, actor }) => tryEmail(services, actor, body),
})
