import type { Rule } from '../../../../src/features/automations/engine/graph.ts'
import { MAX_STEPS } from '../../../../src/features/automations/schema.ts'
import { formatNumber } from '../../ui/locale.ts'
import { type Graph, reachedFrom, type Step } from './graph.ts'
import { texts } from './texts.ts'

export interface StepProblem {
  readonly text: string
  /** Whether it can be saved like this. */
  readonly isFatal: boolean
}

/** What is obviously missing, by the key of the step; the server has the last word. */
export type Problems = ReadonlyMap<string, StepProblem>

export function problemsOf(graph: Graph): Problems {
  const trigger = graph.steps.find(({ type }) => type === 'trigger')
  const reached = trigger ? reachedFrom(graph, trigger.key) : new Set<string>()
  const problems = new Map<string, StepProblem>()
  const add = (key: string, text: string, isFatal: boolean) => problems.set(key, { text, isFatal })
  for (const step of graph.steps) {
    const missing = missingIn(step)
    if (missing) add(step.key, missing, true)
    else if (!reached.has(step.key)) add(step.key, texts.problems.notConnected, true)
    else if (isUntimed(graph, step)) add(step.key, texts.problems.noTimeoutStep, false)
  }
  if (trigger && graph.steps.length > MAX_STEPS)
    add(trigger.key, texts.problems.tooManySteps(formatNumber(graph.steps.length), formatNumber(MAX_STEPS)), true)
  return problems
}

function missingIn(step: Step): string | undefined {
  switch (step.type) {
    case 'trigger':
    case 'wait_for_event':
      if (!step.config.event_name) return texts.problems.noEvent
      if (step.type === 'wait_for_event' && step.config.timeout === '') return texts.problems.noDuration
      return step.type === 'wait_for_event' && step.config.filter_rule
        ? missingInRule(step.config.filter_rule)
        : undefined
    case 'delay':
      return step.config.duration ? undefined : texts.problems.noDuration
    case 'send_email':
      return step.config.template.id ? undefined : texts.problems.noTemplate
    case 'condition':
      return missingInRule(step.config)
    case 'contact_update': {
      const { properties = {}, ...fields } = step.config
      return Object.keys({ ...fields, ...properties }).length > 0 ? undefined : texts.problems.noField
    }
    case 'add_to_segment':
      return step.config.segment_id ? undefined : texts.problems.noSegment
    case 'contact_delete':
      return undefined
  }
}

function missingInRule(rule: Rule): string | undefined {
  if (rule.type !== 'rule')
    return rule.rules.length === 0 ? texts.problems.emptyGroup : rule.rules.map(missingInRule).find((one) => one)
  return rule.field ? undefined : texts.problems.ruleWithoutField
}

const isUntimed = ({ connections }: Graph, step: Step) =>
  step.type === 'wait_for_event' &&
  step.config.timeout !== undefined &&
  !connections.some(({ from, type }) => from === step.key && type === 'timeout')

/** The step that a refusal of the server is about, if it says so: by key, by place, or in passing. */
export function stepNamedIn({ steps }: Graph, message: string): string | null {
  const indexed = /\bsteps\[(\d+)\]/.exec(message)
  const named =
    steps.find(({ key }) => message.includes(`steps.${key}.`) || message.includes(`steps.${key}\``)) ??
    (indexed ? steps[Number(indexed[1])] : undefined) ??
    steps.find(({ key }) => message.includes(`\`${key}\``))
  return named?.key ?? null
}
