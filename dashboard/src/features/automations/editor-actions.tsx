import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { TestRunDialog } from './automation-test-dialog.tsx'
import type { Editing, FullAutomation } from './editing.ts'
import { texts } from './texts.ts'

type Asked = 'stop' | 'delete' | 'save' | 'test' | null

/** Save, enable, try, stop. */
export function EditorActions({ automation, editing }: { automation: FullAutomation; editing: Editing }) {
  const { id, status } = automation
  const { isChanged, isSaving, save } = editing
  const [asked, setAsked] = useState<Asked>(null)
  const navigate = useNavigate()
  const close = () => setAsked(null)
  const setStatus = useAct({
    run: (next: 'enabled' | 'disabled') => call('automations.update', { id, body: { status: next } }),
    refresh: ['automations'],
  })
  const stop = useAct({ run: () => call('automations.stop', { id }), refresh: RUNS_TOO, done: texts.stopDialog.done })
  const remove = useAct({
    run: () => call('automations.remove', { id }),
    refresh: ['automations.list'],
    done: texts.deleteDialog.done,
  })
  const duplicate = useAct({
    run: () => call('automations.duplicate', { id }),
    refresh: ['automations'],
    done: texts.actions.duplicated,
  })
  const isEnabled = status === 'enabled'
  const trySave = () => (isEnabled ? setAsked('save') : save().catch(() => {}))
  const enable = async () => {
    if (isChanged) await save()
    await setStatus.mutateAsync('enabled')
  }
  return (
    <>
      <Menu
        label={texts.actions.more}
        items={[
          {
            label: texts.actions.viewRuns,
            onChoose: () => navigate({ to: '/automation-runs', search: { automation_id: id } }),
          },
          {
            label: texts.actions.duplicate,
            needs: 'automations.duplicate',
            onChoose: () =>
              duplicate.mutate(undefined, {
                onSuccess: (copy) => navigate({ to: '/automations/$id', params: { id: copy.id } }),
              }),
          },
          { label: texts.actions.stop, needs: 'automations.stop', isDangerous: true, onChoose: () => setAsked('stop') },
          {
            label: texts.actions.delete,
            needs: 'automations.remove',
            isDangerous: true,
            onChoose: () => setAsked('delete'),
          },
        ]}
      />
      <Button
        needs="automations.test"
        disabled={isChanged}
        title={isChanged ? texts.actions.saveBeforeTest : undefined}
        onClick={() => setAsked('test')}
      >
        {texts.actions.test}
      </Button>
      {isEnabled ? (
        <>
          <Button needs="automations.update" isBusy={setStatus.isPending} onClick={() => setStatus.mutate('disabled')}>
            {texts.actions.disable}
          </Button>
          <Button
            look="primary"
            needs="automations.steps.replace"
            isBusy={isSaving}
            disabled={!isChanged}
            onClick={trySave}
          >
            {texts.actions.saveAndReEnable}
          </Button>
        </>
      ) : (
        <>
          <Button needs="automations.update" isBusy={isSaving} disabled={!isChanged} onClick={trySave}>
            {texts.actions.save}
          </Button>
          <Button
            look="primary"
            needs="automations.update"
            isBusy={setStatus.isPending}
            onClick={() => enable().catch(() => {})}
          >
            {texts.actions.enable}
          </Button>
        </>
      )}
      <Confirm
        title={texts.saveDialog.title}
        note={texts.saveDialog.note}
        act={texts.saveDialog.confirm}
        look="primary"
        isOpen={asked === 'save'}
        onClose={close}
        onConfirm={() => save().catch(() => {})} // a refusal is shown at its step; nothing has changed then
      />
      <Confirm
        title={texts.stopDialog.title}
        note={texts.stopDialog.note}
        act={texts.stopDialog.confirm}
        isOpen={asked === 'stop'}
        onClose={close}
        onConfirm={() => stop.mutateAsync()}
      />
      <Confirm
        title={texts.deleteDialog.title(automation.name)}
        note={texts.deleteDialog.note}
        act={texts.deleteDialog.confirm}
        isOpen={asked === 'delete'}
        onClose={close}
        onConfirm={async () => {
          await remove.mutateAsync()
          await navigate({ to: '/automations', ignoreBlocker: true })
        }}
      />
      <TestRunDialog automation={automation} isOpen={asked === 'test'} onClose={close} />
    </>
  )
}

const RUNS_TOO = ['automations', 'automationRuns'] as const
