import type { Transaction } from '../../kernel/db/database.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { isId } from '../../platform/ids.ts'
import { typesOfProperties } from '../contact-properties/index.ts'
import { findSegments } from '../segments/index.ts'
import { statesOfTemplates } from '../templates/index.ts'
import type { ContactUpdate, Graph, StepOf, StepType } from './engine/graph.ts'

/** What steps speak of is there: published templates, segments, properties of contacts and values that fit them. */
export async function requireReferences(trx: Transaction, team: string, graph: Graph): Promise<void> {
  await requirePublished(trx, team, stepsOf(graph, 'send_email'))
  await requireSegments(trx, team, stepsOf(graph, 'add_to_segment'))
  await requireProperties(trx, team, stepsOf(graph, 'contact_update'))
}

const stepsOf = <Type extends StepType>({ steps }: Graph, type: Type) =>
  steps.filter((step): step is StepOf<Type> => step.type === type)

const refusal = (step: string, field: string, reason: string) =>
  new Problem('validation_error', `Invalid \`steps.${step}.config.${field}\` field. ${reason}`)

async function requirePublished(trx: Transaction, team: string, steps: readonly StepOf<'send_email'>[]) {
  const stateOf = await statesOfTemplates(
    trx,
    team,
    steps.map(({ config }) => config.template.id),
  )
  for (const { key, config } of steps) {
    const { id } = config.template
    const state = stateOf(id)
    if (state === 'missing') throw refusal(key, 'template.id', `There is no template \`${id}\`.`)
    if (state === 'draft') throw refusal(key, 'template.id', `The template \`${id}\` is a draft. Publish it first.`)
  }
}

async function requireSegments(trx: Transaction, team: string, steps: readonly StepOf<'add_to_segment'>[]) {
  const wanted = steps.map(({ config }) => config.segment_id).filter(isId)
  const known = new Set(wanted.length === 0 ? [] : await findSegments(trx, team, wanted))
  for (const { key, config } of steps)
    if (!known.has(config.segment_id.toLowerCase()))
      throw refusal(key, 'segment_id', `There is no segment \`${config.segment_id}\`.`)
}

async function requireProperties(trx: Transaction, team: string, steps: readonly StepOf<'contact_update'>[]) {
  const types = await typesOfProperties(
    trx,
    team,
    steps.flatMap(({ config }) => Object.keys(config.properties ?? {})),
  )
  for (const { key: step, config } of steps)
    for (const [key, value] of Object.entries(config.properties ?? {})) {
      const type = types.get(key)
      if (!type) throw refusal(step, 'properties', `There is no contact property with the key \`${key}\`.`)
      if (isLiteral(value) && typeof value !== type)
        throw refusal(step, `properties.${key}`, `It must be a ${type}, null or a variable.`)
    }
}

/** What is known now. Null takes the value away, and a variable is filled in when the step runs. */
const isLiteral = (value: NonNullable<ContactUpdate['properties']>[string]) =>
  value !== null && typeof value !== 'object'
