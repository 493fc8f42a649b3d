import { chatModelOf } from '../../../adapters/model/chat-model.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

const LIMIT_MS = 5_000

/** Whether the server of the inboxes' agents lets us in and has the model. No question is asked: it would cost something. */
export async function checkModel({ config }: CheckInput): Promise<Finding[]> {
  const model = chatModelOf(config)
  if (!model) return []
  const standing = await model.lookUp(LIMIT_MS)
  const name = `${config.AGENT_MODEL} at ${config.AGENT_URL}`
  if (standing.kind === 'closed') {
    const message = `The model cannot be used: ${standing.reason}. Are POSTWREN_AGENT_URL and POSTWREN_AGENT_KEY right?`
    return [fault('agent', message)]
  }
  if (standing.hasModel === null)
    return [fine('agent', `Agent: ${name} answers, and does not tell which models it has.`)]
  return standing.hasModel
    ? [fine('agent', `Agent: ${name} answers, and has the model.`)]
    : [warning('agent', `Agent: ${name} answers, and its list has no such model. Is POSTWREN_AGENT_MODEL right?`)]
}
