defmodule Trial.MixProject do
  use Mix.Project

  def project, do: [app: :trial, version: "0.0.0", deps: [{:resend, "1.0.0-rc.3"}, {:swoosh, "1.16.7"}]]
end
