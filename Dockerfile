# The program alone, for judging servers over HTTP; an image of yours that starts a server over
# stdio copies it: COPY --from=mcp-conform /mcp-conform /usr/local/bin/
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
ARG VERSION=devel
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.stamped=$VERSION" -o /mcp-conform ./cmd/mcp-conform

FROM scratch
COPY --from=build /mcp-conform /mcp-conform
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY LICENSE /
WORKDIR /work
ENTRYPOINT ["/mcp-conform"]
