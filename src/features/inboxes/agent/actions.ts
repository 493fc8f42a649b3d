import type { Static } from 'typebox'
import type { Actor } from '../../../kernel/http/actor.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { readPolicies } from '../../policies/queries.ts'
import { setPolicy } from '../../policies/write.ts'
import { requireInbox } from '../actions.ts'
import { lockInbox } from '../filing/lock.ts'
import { bareAddress } from './addresses.ts'
import type { AgentSettings } from './context.ts'
import { countRuns, findAgent, saveAgent } from './queries.ts'
import { ACTION_ALIASES, ACTIONS, type Agent, type AgentAction, type UpdateAgent } from './schema.ts'
import type { AgentSettingsServices } from './services.ts'

/** Nobody has said anything yet: it does nothing. */
const SILENT: AgentSettings = { instructions: null, tone: null, actions: [], forwardTo: [] }

export async function showAgent(
  { db, config, model }: AgentSettingsServices,
  { team }: Actor,
  text: string,
): Promise<Static<typeof Agent>> {
  const { id } = await requireInbox(db, team, text)
  const [agent = SILENT, runs, [guard]] = await Promise.all([
    findAgent(db, team, id),
    countRuns(db, team, id),
    readPolicies(db, [{ team, policyId: id }]),
  ])
  return {
    object: 'inbox_agent',
    instructions: agent.instructions,
    tone: agent.tone,
    actions: [...agent.actions],
    enabled_actions: [...agent.actions],
    forward_to: [...agent.forwardTo],
    policy: guard?.policy ?? null,
    is_available: model !== null,
    runs_today: runs,
    runs_per_day: config.AGENT_RUNS_PER_DAY,
  }
}

/** What was switched off is not done any more once this has answered: an agent that acts locks the inbox, too. */
export async function changeAgent(
  { db }: AgentSettingsServices,
  { team }: Actor,
  text: string,
  body: Static<typeof UpdateAgent>,
): Promise<string> {
  const { id, email_address, receiving_address } = await requireInbox(db, team, text)
  const actions = actionsOf(body)
  const forwardTo = body.forward_to && [...new Set(body.forward_to.map(bareAddress))]
  if (forwardTo?.some((address) => address === email_address || address === receiving_address))
    throw new Problem('validation_error', 'Invalid `forward_to` field. An inbox cannot forward to itself.')
  await db.transaction(async (trx) => {
    if (!(await lockInbox(trx, team, id))) throw new Problem('not_found', 'Inbox not found')
    const before = (await findAgent(trx, team, id)) ?? SILENT
    const after: AgentSettings = {
      instructions: body.instructions === undefined ? before.instructions : absentIfBlank(body.instructions),
      tone: body.tone === undefined ? before.tone : absentIfBlank(body.tone),
      actions: actions ?? before.actions,
      forwardTo: forwardTo ?? before.forwardTo,
    }
    await saveAgent(trx, team, id, after)
    if (body.policy !== undefined) await setPolicy(trx, { team, policyId: id, holder: 'inbox_agent' }, body.policy)
  })
  return id
}

const absentIfBlank = (text: string | null) => text?.trim() || null

/** Clients know the list under two names, and two of the actions as well. */
function actionsOf(body: Static<typeof UpdateAgent>): AgentAction[] | undefined {
  const [first, second] = [body.actions, body.enabled_actions].map((names) => names && known(names))
  if (first && second && first.join() !== second.join())
    throw new Problem('validation_error', '`actions` and `enabled_actions` are the same list: use one of them.')
  return first ?? second
}

const known = (names: readonly string[]): AgentAction[] => {
  const meant = new Set(names.map((name) => ACTION_ALIASES[name] ?? name))
  return ACTIONS.filter((action) => meant.has(action))
}
