import type { Static } from 'typebox'
import { readScenario, writeScenario } from '../../features/sandboxes/scenario/index.ts'
import type { Scenario } from '../../features/sandboxes/scenario/schema.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { type Config, keepsMail } from '../../platform/settings/config.ts'
import { mailpitRoute } from './definitions.ts'
import { Triggers } from './schema.ts'

type Smtp = NonNullable<Scenario['smtp']>
type Refusal = Smtp['mail']
type Trigger = { readonly ErrorCode: number; readonly Probability: number }

/** As Mailpit has them unless somebody says otherwise. */
const USUAL_CODES = { Sender: 451, Recipient: 451, Authentication: 535 } as const
const NAMES = ['Sender', 'Recipient', 'Authentication'] as const
const COMMANDS = { Sender: 'mail', Recipient: 'rcpt', Authentication: 'auth' } as const

/** What Mailpit calls chaos is the part of a scenario that is about the SMTP port. The rest of the scenario stays as it is. */
export const chaosRoutes = [
  mailpitRoute({
    id: 'chaos.get',
    route: 'GET /api/v1/chaos',
    access: 'content',
    async run({ services, actor: { team } }) {
      requireKept(services.config, team)
      return triggersOf((await readScenario(services, team)).smtp ?? {})
    },
  }),
  mailpitRoute({
    id: 'chaos.set',
    route: 'PUT /api/v1/chaos',
    access: 'write',
    body: Triggers,
    async run({ services, actor: { team }, body }) {
      requireKept(services.config, team)
      const { object: _object, ...scenario } = await readScenario(services, team)
      const smtp = smtpOf(body)
      await writeScenario(services, team, { ...scenario, smtp })
      return triggersOf(smtp)
    },
  }),
]

/** Mail that is meant for people meets no chaos. */
function requireKept(config: Config, team: string) {
  if (keepsMail(config, team)) return
  throw new Problem('not_in_this_mode', 'Chaos is available in sandboxes and in inbox mode (POSTWREN_DELIVERY=inbox).')
}

function triggersOf(smtp: Smtp): Record<(typeof NAMES)[number], Trigger> {
  const { Sender, Recipient, Authentication } = USUAL_CODES
  return {
    Sender: triggerOf(smtp.mail, Sender),
    Recipient: triggerOf(smtp.rcpt, Recipient),
    Authentication: triggerOf(smtp.auth, Authentication),
  }
}

const triggerOf = (refusal: Refusal, usual: number): Trigger => ({
  ErrorCode: Number(refusal?.reply?.slice(0, 3) ?? usual),
  Probability: refusal ? Math.round((refusal.probability ?? 1) * 100) : 0,
})

/** What is not named is over. */
function smtpOf(triggers: Static<typeof Triggers>): Smtp {
  const smtp: Smtp = {}
  for (const name of NAMES) {
    const { ErrorCode = USUAL_CODES[name], Probability = 0 } = triggers[name] ?? {}
    if (!/^[45][0-5]\d$/.test(String(ErrorCode)))
      throw new Problem('validation_error', `Invalid \`${name}.ErrorCode\` field. SMTP has no code ${ErrorCode}.`)
    if (Probability > 0)
      smtp[COMMANDS[name]] = { reply: `${ErrorCode} Chaos ${name.toLowerCase()} error`, probability: Probability / 100 }
  }
  return smtp
}
