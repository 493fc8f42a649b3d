import { useConnectionLost } from '../connection.ts'
import './connection-banner.css'
import { texts } from './texts.ts'

/** While the service cannot be reached. What is on the page stays, and is read again afterwards. */
export const ConnectionBanner = () => (
  <div role="status">{useConnectionLost() && <p className="connection-banner">{texts.shell.connectionLost}</p>}</div>
)
