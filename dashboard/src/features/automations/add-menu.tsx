import type { ReactNode } from 'react'
import { STEP_TYPES } from '../../../../src/features/automations/schema.ts'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import type { StepType } from './graph.ts'
import { texts } from './texts.ts'

interface AddMenuProps {
  readonly label: string
  readonly trigger: ReactNode
  readonly onAdd: (type: StepType) => void
  /** What else can be done in this place. */
  readonly others?: readonly MenuItem[]
}

const ADDABLE = STEP_TYPES.filter((type) => type !== 'trigger')

/** The kinds of steps, to choose one. */
export const AddMenu = ({ label, trigger, onAdd, others = [] }: AddMenuProps) => (
  <Menu
    label={label}
    trigger={trigger}
    items={[...ADDABLE.map((type) => ({ label: texts.stepNames[type], onChoose: () => onAdd(type) })), ...others]}
  />
)
