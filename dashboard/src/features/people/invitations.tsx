import { useState } from 'react'
import { call, type Item } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Failed } from '../../ui/states.tsx'
import { readTime, Time } from '../../ui/time.tsx'
import './people.css'

type Invitation = Item<'invitations.list'>

const hasRunOut = ({ expires_at }: Invitation) => readTime(expires_at).getTime() <= Date.now()

/** Who is asked to join and has not yet: a hundred at most, so all of them are shown. */
export function Invitations() {
  const invitations = useCall('invitations.list', {})
  const [withdrawn, setWithdrawn] = useState<Invitation | null>(null)
  const refresh = ['invitations'] as const
  const resend = useAct({
    run: (id: string) => call('invitations.resend', { id }),
    refresh,
    done: 'Invitation resent with a new link',
  })
  const remove = useAct({
    run: (id: string) => call('invitations.remove', { id }),
    refresh,
    done: 'Invitation withdrawn',
  })
  if (invitations.isError) return <Failed error={invitations.error} />
  const items = invitations.data?.data ?? []
  if (items.length === 0) return null
  return (
    <section className="invitations" aria-labelledby="invitations">
      <h2 id="invitations">Invitations</h2>
      <div className="table-wrap">
        <table aria-label="invitations">
          <thead>
            <tr>
              <th scope="col" className="main">
                Email
              </th>
              <th scope="col">Role</th>
              <th scope="col" className="aside">
                Invited by
              </th>
              <th scope="col">Expires</th>
              <th scope="col" className="end">
                <span className="hidden">Actions</span>
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
                    label={`Actions for the invitation of ${one.email}`}
                    items={[
                      { label: 'Resend', needs: 'invitations.resend', onChoose: () => resend.mutate(one.id) },
                      {
                        label: 'Withdraw',
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
        title={`Withdraw the invitation of ${withdrawn?.email}?`}
        note="The link in the email stops working."
        act="Withdraw invitation"
        isOpen={withdrawn !== null}
        onClose={() => setWithdrawn(null)}
        onConfirm={() => remove.mutateAsync(withdrawn!.id)}
      />
    </section>
  )
}
