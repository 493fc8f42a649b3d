import { useState } from 'react'
import { call, type Item } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Failed } from '../../ui/states.tsx'
import { readTime, Time } from '../../ui/time.tsx'
import type { LinkedInvitation } from './invite-link.tsx'
import './people.css'
import { texts } from './texts.ts'

type Invitation = Item<'invitations.list'>

const hasRunOut = ({ expires_at }: Invitation) => readTime(expires_at).getTime() <= Date.now()

/** Who is asked to join and has not yet: a hundred at most, so all of them are shown. */
export function Invitations({ onLink }: { onLink: (invitation: LinkedInvitation) => void }) {
  const invitations = useCall('invitations.list', {})
  const [withdrawn, setWithdrawn] = useState<Invitation | null>(null)
  const refresh = ['invitations'] as const
  const resend = useAct({
    run: (id: string) => call('invitations.resend', { id }),
    refresh,
    done: texts.invitations.resent,
  })
  const remove = useAct({
    run: (id: string) => call('invitations.remove', { id }),
    refresh,
    done: texts.invitations.withdrawn,
  })
  if (invitations.isError) return <Failed error={invitations.error} />
  const items = invitations.data?.data ?? []
  if (items.length === 0) return null
  return (
    <section className="invitations" aria-labelledby="invitations">
      <h2 id="invitations">{texts.invitations.title}</h2>
      <div className="table-wrap">
        <table aria-label={texts.invitations.list}>
          <thead>
            <tr>
              <th scope="col" className="main">
                {texts.columns.email}
              </th>
              <th scope="col">{texts.columns.role}</th>
              <th scope="col" className="aside">
                {texts.columns.invitedBy}
              </th>
              <th scope="col">{texts.columns.expires}</th>
              <th scope="col" className="end">
                <span className="hidden">{texts.columns.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((one) => (
              <tr key={one.id}>
                <td className="main">{one.email}</td>
                <td>
                  <Badge word={one.role} />
                </td>
                <td className="aside">{one.invited_by ?? <span className="muted">–</span>}</td>
                <td>{hasRunOut(one) ? <Badge word="expired" tone="warn" /> : <Time at={one.expires_at} />}</td>
                <td className="end">
                  <Menu
                    label={texts.invitations.actions(one.email)}
                    items={[
                      ...(hasRunOut(one)
                        ? []
                        : [
                            {
                              label: texts.invitations.copyLink,
                              needs: 'invitations.link' as const,
                              onChoose: () => onLink({ id: one.id, email: one.email, isNew: false }),
                            },
                          ]),
                      {
                        label: texts.invitations.resend,
                        needs: 'invitations.resend',
                        onChoose: () => resend.mutate(one.id),
                      },
                      {
                        label: texts.invitations.withdraw,
                        needs: 'invitations.remove',
                        isDangerous: true,
                        onChoose: () => setWithdrawn(one),
                      },
                    ]}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Confirm
        title={texts.withdrawDialog.title(withdrawn?.email ?? '')}
        note={texts.withdrawDialog.note}
        act={texts.withdrawDialog.confirm}
        isOpen={withdrawn !== null}
        onClose={() => setWithdrawn(null)}
        onConfirm={() => remove.mutateAsync(withdrawn!.id)}
      />
    </section>
  )
}
