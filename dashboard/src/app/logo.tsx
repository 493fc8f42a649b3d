import './logo.css'
import { texts } from './texts.ts'

export const Logo = () => (
  <span className="logo">
    <img src="/dashboard/wren.svg" alt="" width={24} height={24} />
    <span>{texts.productName}</span>
  </span>
)
