import './logo.css'

export const Logo = () => (
  <span className="logo">
    <img src="/dashboard/wren.svg" alt="" width={24} height={24} />
    Postwren
  </span>
)
