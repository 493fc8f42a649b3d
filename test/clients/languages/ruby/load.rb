# Where the SDK is, and the service. The SDK puts its paths behind the address as it is.
ENV["RESEND_BASE_URL"] = "#{ENV["BASE_URL"]}/"
Dir.exist?("sdk") ? $LOAD_PATH.unshift(File.expand_path("sdk/lib")) : Gem.use_paths(File.expand_path("gems"), Gem.path)
