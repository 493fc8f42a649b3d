import { useState } from 'react'
import { CreateInvitation } from '../../../../src/features/people/invitations/schema.ts'
import { UpdateMember } from '../../../../src/features/people/members/schema.ts'
import { call, type Item } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Invitations } from './invitations.tsx'
import { rolesFor } from './role-words.ts'

type Member = Item<'members.list'>

export interface PeoplePageProps {
  /** Who looks; null: somebody with a key. */
  readonly me: { readonly id: string } | null
  readonly team: { readonly id: string; readonly name: string }
  /** Something changed that is about who looks. */
  readonly onChangedMyself: () => void
  readonly onLeft: () => void
}

type Open = { readonly what: 'invite' | 'leave' } | { readonly what: 'role' | 'remove'; readonly member: Member } | null

/** Who is in the team, and who is asked to join. */
export function PeoplePage({ me, team, onChangedMyself, onLeft }: PeoplePageProps) {
  const isAllowed = useAllowed()
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const isOwner = isAllowed('team.remove')
  const refresh = ['members', 'invitations'] as const
  const invite = useAct({
    run: (body: { email: string; role: Member['role'] }) => call('invitations.create', { body }),
    refresh,
    done: 'The invitation is on its way',
  })
  const change = useAct({
    run: ({ id, role }: { id: string; role: Member['role'] }) => call('members.update', { id, body: { role } }),
    refresh,
    done: 'Saved',
  })
  const remove = useAct({ run: (id: string) => call('members.remove', { id }), refresh, done: 'They are out' })
  const leave = useAct({ run: () => call('teams.leave', { id: team.id }), refresh: [] })
  const actsOf = (member: Member): MenuItem[] => {
    const isMe = member.id === me?.id
    const mayTouch = member.role !== 'owner' || isOwner
    return [
      ...(mayTouch
        ? [
            {
              label: 'Change the role',
              needs: 'members.update' as const,
              onChoose: () => setOpen({ what: 'role', member }),
            },
          ]
        : []),
      ...(mayTouch && !isMe
        ? [
            {
              label: 'Remove',
              needs: 'members.remove' as const,
              isDangerous: true,
              onChoose: () => setOpen({ what: 'remove', member }),
            },
          ]
        : []),
      ...(isMe ? [{ label: 'Leave the team', isDangerous: true, onChoose: () => setOpen({ what: 'leave' }) }] : []),
    ]
  }
  const chosen = open && 'member' in open ? open.member : null
  return (
    <Page
      title="People"
      note="Who is in this team, and what they may do."
      actions={
        <Button needs="invitations.create" look="primary" icon="plus" onClick={() => setOpen({ what: 'invite' })}>
          Invite somebody
        </Button>
      }
    >
      <CursorList
        label="people"
        list="members.list"
        input={{}}
        columns={[
          {
            name: 'Email',
            kind: 'main',
            cell: ({ id, email, name }) => (
              <>
                {name ? `${name} · ` : ''}
                {email} {id === me?.id && <span className="muted">(you)</span>}
              </>
            ),
          },
          { name: 'Role', cell: ({ role }) => <Badge word={role} /> },
          { name: 'Joined', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            name: 'Actions',
            kind: 'end',
            cell: (member) => <Menu label={`Actions for ${member.email}`} items={actsOf(member)} />,
          },
        ]}
        empty={
          <Empty icon="people" title="Nobody yet">
            <p className="muted">Keys act for this team, and no person is in it.</p>
          </Empty>
        }
      />
      {isAllowed('invitations.list') && <Invitations />}
      <Dialog
        title="Invite somebody"
        note="They get a mail with a link that works once, for seven days."
        isOpen={open?.what === 'invite'}
        onClose={close}
      >
        <SchemaForm
          shape={CreateInvitation}
          fields={[
            { name: 'email', label: 'Email', placeholder: 'grace@example.com' },
            { name: 'role', label: 'Role', options: rolesFor(isOwner) },
          ]}
          act="Send the invitation"
          onSubmit={(values) => invite.mutateAsync(values).then(close)}
        />
      </Dialog>
      <Dialog title={`Role of ${chosen?.email}`} isOpen={open?.what === 'role'} onClose={close}>
        {chosen && (
          <SchemaForm
            shape={UpdateMember}
            fields={[{ name: 'role', label: 'Role', options: rolesFor(isOwner) }]}
            initial={chosen}
            act="Save"
            onSubmit={async ({ role }) => {
              await change.mutateAsync({ id: chosen.id, role })
              close()
              if (chosen.id === me?.id) onChangedMyself()
            }}
          />
        )}
      </Dialog>
      <Confirm
        title={`Remove ${chosen?.email}?`}
        note="They lose this team at once, and so do programs that they have let in. Keys that they have made stay: delete them if they should not."
        act="Remove them"
        keep="Keep them"
        isOpen={open?.what === 'remove'}
        onClose={close}
        onConfirm={() => remove.mutateAsync(chosen!.id)}
      />
      <Confirm
        title={`Leave “${team.name}”?`}
        note="To come back you have to be invited again."
        act="Leave"
        keep="Stay"
        isOpen={open?.what === 'leave'}
        onClose={close}
        onConfirm={() => leave.mutateAsync().then(onLeft)}
      />
    </Page>
  )
}
