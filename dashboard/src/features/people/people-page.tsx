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
import { useNewFromAddress } from '../../ui/new-from-address.ts'
import { Page } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Invitations } from './invitations.tsx'
import { InviteLinkDialog, type LinkedInvitation } from './invite-link.tsx'
import { rolesFor } from './role-labels.ts'
import { texts } from './texts.ts'

type Member = Item<'members.list'>

export interface PeoplePageProps {
  /** Who looks; null: somebody with a key. */
  readonly me: { readonly id: string } | null
  readonly team: { readonly id: string; readonly name: string }
  /** No email leaves this machine. */
  readonly isMailKept: boolean
  /** Something changed that is about who looks. */
  readonly onChangedMyself: () => void
  readonly onLeft: () => void
}

type Open = { readonly what: 'invite' | 'leave' } | { readonly what: 'role' | 'remove'; readonly member: Member } | null

/** Who is in the team, and who is asked to join. */
export function PeoplePage({ me, team, isMailKept, onChangedMyself, onLeft }: PeoplePageProps) {
  const isAllowed = useAllowed()
  const [open, setOpen] = useState<Open>(null)
  const [linked, setLinked] = useState<LinkedInvitation | null>(null)
  const close = () => setOpen(null)
  const isOwner = isAllowed('team.remove')
  const refresh = ['members', 'invitations'] as const
  useNewFromAddress(() => setOpen({ what: 'invite' }))
  const invite = useAct({
    run: (body: { email: string; role: Member['role'] }) => call('invitations.create', { body }),
    refresh,
  })
  const change = useAct({
    run: ({ id, role }: { id: string; role: Member['role'] }) => call('members.update', { id, body: { role } }),
    refresh,
    done: texts.roleDialog.saved,
  })
  const remove = useAct({
    run: (id: string) => call('members.remove', { id }),
    refresh,
    done: texts.removeDialog.removed,
  })
  const leave = useAct({ run: () => call('teams.leave', { id: team.id }), refresh: [] })
  const actsOf = (member: Member): MenuItem[] => {
    const isMe = member.id === me?.id
    const mayTouch = member.role !== 'owner' || isOwner
    return [
      ...(mayTouch
        ? [
            {
              label: texts.member.changeRole,
              needs: 'members.update' as const,
              onChoose: () => setOpen({ what: 'role', member }),
            },
          ]
        : []),
      ...(mayTouch && !isMe
        ? [
            {
              label: texts.member.remove,
              needs: 'members.remove' as const,
              isDangerous: true,
              onChoose: () => setOpen({ what: 'remove', member }),
            },
          ]
        : []),
      ...(isMe ? [{ label: texts.member.leave, isDangerous: true, onChoose: () => setOpen({ what: 'leave' }) }] : []),
    ]
  }
  const chosen = open && 'member' in open ? open.member : null
  return (
    <Page
      title={texts.page.title}
      note={texts.page.note}
      actions={
        <Button needs="invitations.create" look="primary" icon="plus" onClick={() => setOpen({ what: 'invite' })}>
          {texts.page.invite}
        </Button>
      }
    >
      <CursorList
        label={texts.page.list}
        list="members.list"
        input={{}}
        columns={[
          {
            name: texts.columns.email,
            kind: 'title',
            cell: ({ id, email, name }) => (
              <>
                {name ? texts.member.named(name, email) : email}{' '}
                {id === me?.id && <span className="muted">{texts.member.you}</span>}
              </>
            ),
          },
          { name: texts.columns.role, kind: 'status', cell: ({ role }) => <Badge word={role} /> },
          { name: texts.columns.joined, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            name: texts.columns.actions,
            kind: 'end',
            cell: (member) => <Menu label={texts.member.actions(member.email)} items={actsOf(member)} />,
          },
        ]}
        empty={
          <Empty icon="people" title={texts.empty.title}>
            <p className="muted">{texts.empty.note}</p>
          </Empty>
        }
      />
      {isAllowed('invitations.list') && <Invitations onLink={setLinked} />}
      <Dialog
        title={texts.inviteDialog.title}
        note={isMailKept ? texts.inviteDialog.byLink : texts.inviteDialog.byEmail}
        isOpen={open?.what === 'invite'}
        onClose={close}
      >
        <SchemaForm
          shape={CreateInvitation}
          fields={[
            { name: 'email', ...texts.inviteDialog.email },
            { name: 'role', label: texts.inviteDialog.role, options: rolesFor(isOwner) },
          ]}
          initial={{ role: 'developer' }}
          act={isMailKept ? texts.inviteDialog.create : texts.inviteDialog.send}
          onSubmit={async (values) => {
            const { id } = await invite.mutateAsync(values)
            close()
            setLinked({ id, email: values.email, isNew: true })
          }}
        />
      </Dialog>
      <InviteLinkDialog invitation={linked} isMailKept={isMailKept} onClose={() => setLinked(null)} />
      <Dialog title={texts.roleDialog.title(chosen?.email ?? '')} isOpen={open?.what === 'role'} onClose={close}>
        {chosen && (
          <SchemaForm
            shape={UpdateMember}
            fields={[{ name: 'role', label: texts.roleDialog.role, options: rolesFor(isOwner) }]}
            initial={chosen}
            act={texts.roleDialog.save}
            onSubmit={async ({ role }) => {
              await change.mutateAsync({ id: chosen.id, role })
              close()
              if (chosen.id === me?.id) onChangedMyself()
            }}
          />
        )}
      </Dialog>
      <Confirm
        title={texts.removeDialog.title(chosen?.email ?? '')}
        note={texts.removeDialog.note}
        act={texts.removeDialog.confirm}
        isOpen={open?.what === 'remove'}
        onClose={close}
        onConfirm={() => remove.mutateAsync(chosen!.id)}
      />
      <Confirm
        title={texts.leaveDialog.title(team.name)}
        note={texts.leaveDialog.note}
        act={texts.leaveDialog.confirm}
        isOpen={open?.what === 'leave'}
        onClose={close}
        onConfirm={() => leave.mutateAsync().then(onLeft)}
      />
    </Page>
  )
}
