import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { TestRunDialog } from './automation-test-dialog.tsx'
import type { Editing, FullAutomation } from './editing.ts'

type Asked = 'stop' | 'delete' | 'disable' | 'test' | null

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
  const stop = useAct({ run: () => call('automations.stop', { id }), refresh: RUNS_TOO, done: 'Automation stopped' })
  const remove = useAct({
    run: () => call('automations.remove', { id }),
    refresh: ['automations.list'],
    done: 'Automation deleted',
  })
  const duplicate = useAct({
    run: () => call('automations.duplicate', { id }),
    refresh: ['automations'],
    done: 'Duplicated',
  })
  const isEnabled = status === 'enabled'
  const trySave = () => (isEnabled ? setAsked('disable') : save().catch(() => {}))
  const enable = async () => {
    if (isChanged) await save()
    await setStatus.mutateAsync('enabled')
  }
  return (
    <>
      <Menu
        label="More"
        items={[
          {
            label: 'Runs',
            onChoose: () => navigate({ to: '/automation-runs', search: { automation_id: id } }),
          },
          {
            label: 'Duplicate',
            needs: 'automations.duplicate',
            onChoose: () =>
              duplicate.mutate(undefined, {
                onSuccess: (copy) => navigate({ to: '/automations/$id', params: { id: copy.id } }),
              }),
          },
          { label: 'Stop', needs: 'automations.stop', isDangerous: true, onChoose: () => setAsked('stop') },
          { label: 'Delete', needs: 'automations.remove', isDangerous: true, onChoose: () => setAsked('delete') },
        ]}
      />
      <Button
        needs="automations.test"
        disabled={isChanged}
        title={isChanged ? 'Save your changes first' : undefined}
        onClick={() => setAsked('test')}
      >
        Test
      </Button>
      <Button needs="automations.update" isBusy={isSaving} disabled={!isChanged} onClick={trySave}>
        Save
      </Button>
      {isEnabled ? (
        <Button
          look="primary"
          needs="automations.update"
          isBusy={setStatus.isPending}
          onClick={() => setStatus.mutate('disabled')}
        >
          Disable
        </Button>
      ) : (
        <Button
          look="primary"
          needs="automations.update"
          isBusy={setStatus.isPending}
          onClick={() => enable().catch(() => {})}
        >
          Enable
        </Button>
      )}
      <Confirm
        title="Disable and save?"
        note="An enabled automation cannot be edited. Active runs finish with the steps they started with; new runs start when you enable it again."
        act="Disable and save"
        look="primary"
        isOpen={asked === 'disable'}
        onClose={close}
        onConfirm={async () => {
          await setStatus.mutateAsync('disabled')
          await save().catch(() => {}) // why not is said at the step that it is about
        }}
      />
      <Confirm
        title="Stop this automation?"
        note="It is disabled, and all active runs are cancelled. To let active runs finish, disable it instead."
        act="Stop automation"
        isOpen={asked === 'stop'}
        onClose={close}
        onConfirm={() => stop.mutateAsync()}
      />
      <Confirm
        title={`Delete “${automation.name}”?`}
        note="Active runs are cancelled, and the history of all runs is deleted."
        act="Delete automation"
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
