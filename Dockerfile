FROM python:3.11-slim
COPY . /src
RUN pip install --no-cache-dir "/src[geometry,judges,report,schema,semantic,web]" && rm -rf /src && useradd --create-home fieldwise
USER fieldwise
WORKDIR /data
ENTRYPOINT ["fieldwise"]
CMD ["--help"]
