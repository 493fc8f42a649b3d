import { useState } from 'react'
import { UpdatePasskey } from '../../../../src/features/people/account/schema.ts'
import { call, type Item } from '../../api.ts'
import { makePasskey } from '../../passkeys.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Rows } from '../../ui/cursor-list.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Card } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { verified } from '../../ui/verification.tsx'
import { texts } from './texts.ts'
import { deviceName } from './user-agent.ts'

type Passkey = Item<'account.passkeys.list'>

const REFRESH = ['account.passkeys'] as const

export function Passkeys() {
  const passkeys = useCall('account.passkeys.list', {})
  const [open, setOpen] = useState<{ what: 'rename' | 'remove'; passkey: Passkey } | null>(null)
  const close = () => setOpen(null)
  const add = useAct({
    async run() {
      const offer = await verified(() => call('account.passkeys.options', {}))
      const response = await makePasskey(offer)
      return call('account.passkeys.create', { body: { name: deviceName(navigator.userAgent), response } })
    },
    refresh: REFRESH,
    done: texts.passkeys.added,
  })
  const rename = useAct({
    run: ({ id, name }: { id: string; name: string }) => call('account.passkeys.update', { id, body: { name } }),
    refresh: REFRESH,
    done: texts.passkeys.renamed,
  })
  const remove = useAct({
    run: (id: string) => call('account.passkeys.remove', { id }),
    refresh: REFRESH,
    done: texts.passkeys.removed,
  })
  const addButton = (
    <Button icon="plus" isBusy={add.isPending} onClick={() => add.mutate()}>
      {texts.passkeys.add}
    </Button>
  )
  return (
    <Card title={texts.passkeys.title} actions={addButton}>
      {passkeys.isPending && <Loading lines={2} />}
      {passkeys.isError && <Failed error={passkeys.error} />}
      {passkeys.data?.data.length === 0 && <p className="muted">{texts.passkeys.empty}</p>}
      {passkeys.data && passkeys.data.data.length > 0 && (
        <Rows
          label={texts.passkeys.label}
          items={passkeys.data.data}
          columns={[
            { name: texts.passkeys.columns.name, kind: 'main', cell: ({ name }) => name },
            {
              name: texts.passkeys.columns.lastUsed,
              cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : texts.passkeys.neverUsed),
            },
            {
              name: texts.passkeys.columns.actions,
              kind: 'end',
              cell: (passkey) => (
                <Menu
                  label={texts.passkeys.actionsFor(passkey.name)}
                  items={[
                    { label: texts.passkeys.rename, onChoose: () => setOpen({ what: 'rename', passkey }) },
                    {
                      label: texts.passkeys.remove,
                      isDangerous: true,
                      onChoose: () => setOpen({ what: 'remove', passkey }),
                    },
                  ]}
                />
              ),
            },
          ]}
        />
      )}
      <Dialog title={texts.passkeys.renameDialog.title} isOpen={open?.what === 'rename'} onClose={close}>
        {open && (
          <SchemaForm
            shape={UpdatePasskey}
            fields={[{ name: 'name', label: texts.passkeys.renameDialog.name }]}
            initial={{ name: open.passkey.name }}
            act={texts.passkeys.renameDialog.save}
            onSubmit={({ name }) => rename.mutateAsync({ id: open.passkey.id, name }).then(close)}
          />
        )}
      </Dialog>
      <Confirm
        title={texts.passkeys.removeDialog.title(open?.passkey.name ?? '')}
        note={texts.passkeys.removeDialog.note}
        act={texts.passkeys.removeDialog.confirm}
        isOpen={open?.what === 'remove'}
        onClose={close}
        onConfirm={() => remove.mutateAsync(open!.passkey.id)}
      />
    </Card>
  )
}
