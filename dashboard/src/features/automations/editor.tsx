import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { Page } from '../../ui/page.tsx'
import { AddMenu } from './add-menu.tsx'
import { AutomationForm } from './automation-form.tsx'
import type { CardNote } from './canvas.tsx'
import { countersText, useCounters } from './counters.ts'
import { type Editing, type FullAutomation, nextOutlet, useEditing } from './editing.ts'
import { EditorActions } from './editor-actions.tsx'
import { connect, stepOf } from './graph.ts'
import { LazyCanvas, useGraphView } from './lazy-canvas.tsx'
import { sentenceOf } from './sentences.ts'
import { StepPanel } from './step-panel.tsx'
import { StepsTable } from './steps-table.tsx'
import { useUndoKeys } from './undo-keys.ts'
import './editor.css'
import { texts } from './texts.ts'

export function AutomationEditor({ automation }: { automation: FullAutomation }) {
  const editing = useEditing(automation)
  const { graph, layout, resources, chosen, selected } = editing
  const [removed, setRemoved] = useState<string | null>(null)
  const { isTable, chooser } = useGraphView()
  const counters = useCounters(automation.id)
  const removedStep = stepOf(graph, removed)
  useUndoKeys(editing)
  return (
    <Page
      title={automation.name}
      heading={
        <>
          {automation.name} <Badge word={automation.status} />
        </>
      }
      actions={<EditorActions automation={automation} editing={editing} />}
    >
      <div className="editor-bar">
        <AddMenu
          label={texts.addStep.label}
          trigger={
            <Button icon="plus" needs="automations.update">
              {texts.addStep.label}
            </Button>
          }
          onAdd={(type) => editing.add(type, nextOutlet(graph, layout, selected))}
        />
        <IconButton icon="reply" label={texts.editor.undo} disabled={!editing.canUndo} onClick={editing.undo} />
        <IconButton icon="forward" label={texts.editor.redo} disabled={!editing.canRedo} onClick={editing.redo} />
        <State editing={editing} />
        {chooser}
      </div>
      {automation.status === 'enabled' && <p className="form-note">{texts.editor.live}</p>}
      <div className="editor">
        {isTable ? (
          <StepsTable editing={editing} counters={counters.steps} onRemove={setRemoved} />
        ) : (
          <LazyCanvas
            label={texts.view.canvas}
            names={resources}
            {...{ graph, layout, selected }}
            onSelect={editing.select}
            noteOf={(key) => noteOf(editing, key, countersText(counters.steps.get(key)))}
            wordAt={(line) => (counters.lines.get(line) ? formatNumber(counters.lines.get(line)!) : undefined)}
            acts={{
              ...{ put: editing.put, add: editing.add, remove: setRemoved },
              cut: (outlet) => editing.put(connect(graph, outlet, null)),
            }}
          />
        )}
        {chosen ? (
          <StepPanel key={chosen.key} step={chosen} editing={editing} onRemove={() => setRemoved(chosen.key)} />
        ) : (
          <AutomationForm automation={automation} editing={editing} />
        )}
      </div>
      <Confirm
        title={texts.deleteStepDialog.title}
        note={removedStep ? texts.deleteStepDialog.note(sentenceOf(removedStep, resources)) : ''}
        act={texts.deleteStepDialog.confirm}
        isOpen={removedStep !== undefined}
        onClose={() => setRemoved(null)}
        onConfirm={async () => editing.remove(removed!)}
      />
    </Page>
  )
}

/** The problem of a step, or else its counters. */
function noteOf({ problems }: Editing, key: string, counters: string): CardNote | undefined {
  const problem = problems.get(key)
  if (problem) return { text: problem.text, tone: problem.isFatal ? 'bad' : 'warn' }
  return counters ? { text: counters, tone: 'plain' } : undefined
}

/** How many steps are incomplete, with a button to the first, and whether there are unsaved changes. */
function State({ editing }: { editing: Editing }) {
  const { problems, layout, select, isChanged } = editing
  const first = layout.order.find((key) => problems.has(key))
  return (
    <span className="editor-state" role="status">
      {first && (
        <Button look="quiet" onClick={() => select(first, 'form')}>
          {texts.editor.incompleteSteps(problems.size)}
        </Button>
      )}
      {isChanged && <span className="muted">{texts.editor.unsaved}</span>}
    </span>
  )
}
