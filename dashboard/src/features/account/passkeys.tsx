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
import { placeOf } from './user-agent.ts'

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
      return call('account.passkeys.create', { body: { name: placeOf(navigator.userAgent), response } })
    },
    refresh: REFRESH,
    done: 'The passkey is there',
  })
  const rename = useAct({
    run: ({ id, name }: { id: string; name: string }) => call('account.passkeys.update', { id, body: { name } }),
    refresh: REFRESH,
    done: 'Saved',
  })
  const remove = useAct({
    run: (id: string) => call('account.passkeys.remove', { id }),
    refresh: REFRESH,
    done: 'The passkey is gone',
  })
  const addButton = (
    <Button icon="plus" isBusy={add.isPending} onClick={() => add.mutate()}>
      Add a passkey
    </Button>
  )
  return (
    <Card title="Passkeys" actions={addButton}>
      {passkeys.isPending && <Loading lines={2} />}
      {passkeys.isError && <Failed error={passkeys.error} />}
      {passkeys.data?.data.length === 0 && (
        <p className="muted">
          None yet. With one you sign in by fingerprint, face or the PIN of your device, without waiting for mail.
        </p>
      )}
      {passkeys.data && passkeys.data.data.length > 0 && (
        <Rows
          label="passkeys"
          items={passkeys.data.data}
          columns={[
            { name: 'Name', kind: 'main', cell: ({ name }) => name },
            { name: 'Last used', cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never') },
            {
              name: 'Actions',
              kind: 'end',
              cell: (passkey) => (
                <Menu
                  label={`Actions for ${passkey.name}`}
                  items={[
                    { label: 'Rename', onChoose: () => setOpen({ what: 'rename', passkey }) },
                    { label: 'Remove', isDangerous: true, onChoose: () => setOpen({ what: 'remove', passkey }) },
                  ]}
                />
              ),
            },
          ]}
        />
      )}
      <Dialog title="Rename the passkey" isOpen={open?.what === 'rename'} onClose={close}>
        {open && (
          <SchemaForm
            shape={UpdatePasskey}
            fields={[{ name: 'name', label: 'Name' }]}
            initial={{ name: open.passkey.name }}
            act="Save"
            onSubmit={({ name }) => rename.mutateAsync({ id: open.passkey.id, name }).then(close)}
          />
        )}
      </Dialog>
      <Confirm
        title={`Remove “${open?.passkey.name ?? ''}”?`}
        note="It signs you in no more. Your device may still offer it: remove it there, too."
        act="Remove it"
        isOpen={open?.what === 'remove'}
        onClose={close}
        onConfirm={() => remove.mutateAsync(open!.passkey.id)}
      />
    </Card>
  )
}
