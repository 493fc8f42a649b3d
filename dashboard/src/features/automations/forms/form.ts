import type { Graph, StepOf, StepType } from '../graph.ts'
import type { Resources } from '../resources.ts'

/** What the form of one step is given. */
export interface StepFormProps<Type extends StepType> {
  readonly step: StepOf<Type>
  readonly graph: Graph
  readonly resources: Resources
  readonly onChange: (config: StepOf<Type>['config']) => void
}

/** Without the fields that are not there: the API takes nothing as nothing. */
export const present = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
