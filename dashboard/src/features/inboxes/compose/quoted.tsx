import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { MessageBody } from '../conversation/message-body.tsx'
import { texts } from '../texts.ts'
import type { Email } from './answer.ts'

/** What the service puts below the text when it is sent. */
export function Quoted({ email }: { email: Email }) {
  const [isShown, setShown] = useState(false)
  return (
    <div className="draft-tail">
      <Button look="quiet" icon="more" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? texts.quoted.hideEmail : texts.quoted.showEmail}
      </Button>
      {isShown && (
        <>
          <p className="muted">{texts.quoted.intro(email.from)}</p>
          <MessageBody email={email} isFolding={false} />
        </>
      )}
    </div>
  )
}
